import js from '@eslint/js';
import { configs as lit } from 'eslint-plugin-lit';
import { configs as wc } from 'eslint-plugin-wc';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  // The examples are checked by their own tools.
  globalIgnores(['**/dist/', '**/node_modules/', '.data/', 'demo/examples/', 'test/examples/*/']),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  lit['flat/recommended'],
  wc['flat/best-practice'],
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] } } },
    rules: {
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    // The compiler checks these too, and it knows the browser's globals.
    files: ['demo/site/**/*.js'],
    rules: { 'no-undef': 'off' },
  },
  {
    // The two places that talk to a person in a terminal.
    files: ['demo/start.ts', 'test/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // node:test returns promises that the runner itself awaits; chai's assertions are bare expressions.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
);

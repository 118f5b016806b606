import { readFileSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { defineConfig, type BuildOptions, type Manifest, type UserConfig } from 'vite';

/*
 * The builds for script tags (those for bundlers are in `vite.npm.config.ts`), in this order:
 * - (default) `dist/chunks`: the panel, the modules it loads lazily, and the languages;
 * - `module` and `embed`: the shell as `dist/voice-assistant-chat.js` (a module) and `dist/embed.js` (a classic script).
 *   A classic script can have no chunks of its own, so the shells get the addresses of the first build's files;
 * - `cdn`: `dist/cdn.js`, a few lines that load `embed.js`.
 */

/** Files of the first build that the shells load. */
const entries = {
  panel: 'src/widget/panel/chat-panel.ts',
  messaging: 'src/widget/panel/modules/messaging.ts',
  markdown: 'src/widget/panel/markdown/markdown.ts',
  extras: 'src/widget/panel/modules/extras.ts',
  embedding: 'src/widget/embed-special-cases.ts',
  locales: 'src/widget/texts/locales.ts',
};

/** These two are for all builds. */
export const common: BuildOptions = {
  target: 'es2022',
  cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
  sourcemap: true,
  emptyOutDir: false,
  modulePreload: false,
};

export const output = {
  // Otherwise Vite keeps the white space of ES modules, and annotations such as `@__PURE__` for bundlers.
  minify: true,
  comments: { legal: true, annotation: false, jsdoc: false },
  hashCharacters: 'hex' as const,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Lets Chromium compile every function while the file loads, off the main thread, instead of at its first call.
  postBanner: '//# allFunctionsCalledOnLoad',
};

function chunks(): UserConfig {
  // Chunks have a new name for every content, so they would pile up.
  rmSync('dist/chunks', { recursive: true, force: true });
  return {
    build: {
      ...common,
      manifest: 'chunks/manifest.json',
      license: { fileName: 'licenses.md' },
      lib: { entry: entries, formats: ['es'] },
      rolldownOptions: {
        preserveEntrySignatures: 'allow-extension',
        output: {
          ...output,
          entryFileNames: 'chunks/[name]-[hash:6].js',
          // One file each: a browser finds further ones only when the first has come.
          codeSplitting: {
            groups: [
              // `keyed` is only for the gate.
              { name: 'panel', test: /panel.chat-panel\.ts|lit-html(?!.*(?:keyed|directive-helpers))|zod/ },
              { name: 'messaging', test: /modules.messaging\.ts|safe-address|decode-entities/ },
            ],
          },
        },
      },
    },
  };
}

/** The shell alone; it knows the files of the first build by their hashes. */
function shell(name: string, entry: string, format: 'es' | 'iife'): UserConfig {
  const manifest = JSON.parse(readFileSync('dist/chunks/manifest.json', 'utf8')) as Manifest;
  const hashOf = (path = '') => basename(path, '.js').replace(/.*-/, '');
  const hashes = Object.entries(entries).map(([name, source]) => [name, hashOf(manifest[source]?.file)]);
  return {
    define: { builtFiles: JSON.stringify(Object.fromEntries(hashes)) },
    resolve: {
      alias: {
        './element/shell-modules.ts': resolve('src/widget/element/shell-module-files.ts'),
        './shell-modules.ts': resolve('src/widget/element/shell-module-files.ts'),
        // Only a module has an address of its own.
        ...(format === 'iife' && { './files-url.ts': resolve('src/widget/element/current-script.ts') }),
      },
    },
    build: {
      ...common,
      lib: { entry: { [name]: entry }, formats: [format], name: 'voiceAssistantChat' },
      rolldownOptions: { output },
    },
  };
}

export default defineConfig(({ mode }) => {
  if (mode === 'module') return shell('voice-assistant-chat', 'src/widget/script.ts', 'es');
  if (mode === 'cdn') return shell('cdn', 'src/widget/cdn.ts', 'iife');
  if (mode === 'embed') return shell('embed', 'src/widget/embed.ts', 'iife');
  return chunks();
});

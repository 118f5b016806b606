import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { precompress } from '../../src/service/lib/precompress.ts';
import { generateSections, keepInlineCode } from './generate/sections.ts';
import { sidebar } from './sidebar.ts';

/* The documentation, built by `npm run docs` into `dist/docs`. The service serves it at `/docs`. */
export default defineConfig({
  title: 'voice-assistant-chat',
  description: 'An AI assistant on any website, in one custom element, and the service behind it.',
  lang: 'en',
  base: '/docs/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/icon.svg' }]],
  // Only when it is complete does it take its place: a service may already run (`npm start`).
  outDir: '../dist/docs-new',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // Keeps the inline scripts the same on every page, so that the service's policy can list their hashes.
  metaChunk: true,
  // The HTTP reference, which loads on its page alone, is larger than Vite's limit of 500 kB.
  vite: { build: { chunkSizeWarningLimit: 1000 } },
  markdown: {
    // Asterisk's files, which a page includes.
    languageAlias: { conf: 'ini' },
    // By default, Shiki stops coloring a line after 500 ms. On a slow machine, the first line of a language takes longer.
    shikiSetup(highlighter) {
      const { codeToHtml } = highlighter;
      highlighter.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 });
    },
    config(md) {
      generateSections(md);
      keepInlineCode(md);
    },
  },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
  async buildEnd({ outDir }) {
    await precompress(outDir, '**/*.{html,js,css,svg,json}');
    const docs = join(outDir, '../docs');
    await rm(docs, { recursive: true, force: true });
    await rename(outDir, docs);
  },
});

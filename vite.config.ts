import { readdirSync } from 'node:fs';
import { defineConfig, type BuildOptions, type Plugin, type UserConfig } from 'vite';

/*
 * Three builds of one source:
 * - (default) `dist/voice-assistant-chat.js` for script tags: self-contained, the panel and other parts as chunks;
 * - `npm` `dist/npm/*` for bundlers: the same with lit and zod left to the site's own copies;
 * - `embed` `dist/embed.js`: the classic script that a site pastes, with the default build's chunks.
 */

/** Lets the classic script load the panel that the default build made: a classic script can have no chunks of its own. */
const panelOfDefaultBuild: Plugin = {
  name: 'panel-of-default-build',
  enforce: 'pre',
  resolveId(id) {
    if (!id.endsWith('panel/chat-panel.ts')) return null;
    const chunk = readdirSync('dist/chunks').find((name) => /^chat-panel-.*\.js$/.test(name));
    if (chunk === undefined) throw new Error('dist/chunks has no panel: run the default build first.');
    return { id: `./chunks/${chunk}`, external: 'relative' };
  },
};
export default defineConfig(({ mode }): UserConfig => {
  const common: BuildOptions = {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: true,
    emptyOutDir: false,
    modulePreload: false,
  };
  if (mode === 'embed') {
    return {
      plugins: [panelOfDefaultBuild],
      build: {
        ...common,
        outDir: 'dist',
        lib: {
          entry: 'src/widget/embed.ts',
          formats: ['iife'],
          name: 'voiceAssistantChat',
          fileName: () => 'embed.js',
        },
      },
    };
  }
  const isForBundlers = mode === 'npm';
  const scripts = { 'voice-assistant-chat': 'src/widget/define.ts' };
  const modules = {
    ...scripts,
    element: 'src/widget/voice-assistant-chat.ts',
    client: 'src/client/chat-client.ts',
  };
  return {
    build: {
      ...common,
      outDir: isForBundlers ? 'dist/npm' : 'dist',
      lib: { entry: isForBundlers ? modules : scripts, formats: ['es'] },
      rolldownOptions: {
        ...(isForBundlers && { external: [/^lit(?:\/|$)/, /^zod(?:\/|$)/] }),
        output: {
          // Vite leaves the white space of ES libraries alone unless told otherwise.
          minify: true,
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  };
});

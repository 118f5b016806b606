import { rmSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'vite';
import { common, output } from './vite.config.ts';

/*
 * The builds for bundlers, in `dist/npm`, with lit left to the site's own copy. In this order:
 * - (default) the element;
 * - `client` and `api`, builds of their own, so that they load nothing of the panel. They share only the file of `ChatError`,
 *   so that `instanceof` works with the class of either.
 */

/** Without zod's other languages and its JSON schemas, which some bundlers keep if a site bundles zod itself. */
function build(entry: Record<string, string>, groups: { name: string; test: RegExp }[] = []): UserConfig {
  return {
    build: {
      ...common,
      outDir: 'dist/npm',
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        external: [/^lit(?:\/|$)/, /^react(?:\/|$)/, './chat-error.js'],
        output: {
          ...output,
          comments: true,
          // By its name, a site can leave a file out of what it prefetches.
          chunkFileNames: ({ name }) =>
            output.chunkFileNames.replace(
              '[name]',
              name === 'messaging' ? 'voice-assistant-chat-messaging' : '[name]',
            ),
          codeSplitting: {
            groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })),
          },
          // Bundlers of server components would run it on the server otherwise.
          postBanner: ({ name, isEntry }) => (isEntry && name === 'react' ? "'use client';" : ''),
        },
      },
    },
  };
}

/**
 * What messaging shares with other lazy modules is part of the panel: Turbopack copies a module into the file of each one that
 * imports it, and the page would load messaging twice. In Firefox, no module could import messaging after one failed request for it.
 */
const shared =
  '(?:tool-title|sleep|with-proof|safe-address|decode-entities|write-clipboard|show-copied|chips|text-to-read-aloud|new-sentences)\\.(?:ts|css)';

function element(): UserConfig {
  rmSync('dist/npm', { recursive: true, force: true });
  const config = build(
    {
      'voice-assistant-chat': 'src/widget/define.ts',
      element: 'src/widget/voice-assistant-chat.ts',
      react: 'src/widget/react.ts',
    },
    // One file each, as for script tags. The first takes the modules that it shares with the panel. Messaging is in no group, which
    // would make its import `import(…).then((file) => file.t)`: a retry of the address alone would return the wrong module.
    [
      { name: 'voice-assistant-chat-shell', test: /widget.(?:voice-assistant-chat|define-element)\.ts/ },
      { name: 'voice-assistant-chat-panel', test: new RegExp(`panel.chat-panel\\.ts|zod|${shared}`) },
    ],
  );
  return { build: { ...config.build, license: { fileName: 'licenses.md' } } };
}

export default defineConfig(({ mode }) => {
  if (mode === 'client')
    return build({ client: 'src/client/chat-client.ts', 'chat-error': 'src/client/chat-error.ts' });
  if (mode === 'api')
    return {
      ...build({ api: 'src/client/api-client.ts' }),
      resolve: { alias: { './chat-error.ts': './chat-error.js' } },
    };
  return element();
});

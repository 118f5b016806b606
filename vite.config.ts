import { readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { minify } from 'terser';
import { defineConfig, type BuildOptions, type Plugin, type UserConfig } from 'vite';
import { pack } from './src/widget/texts/packed-texts.ts';
import { textKeys } from './src/widget/texts/text-keys.ts';
import type { Texts } from './src/widget/texts/texts.ts';

/*
 * Three builds of one source:
 * - (default) `dist/voice-assistant-chat.js` for script tags: self-contained, the panel and other parts as chunks;
 * - `npm` `dist/npm/*` for bundlers: the same with lit and zod left to the site's own copies;
 * - `embed` `dist/embed.js`: the classic script that a site pastes, with the default build's chunks.
 */

/** What the shell loads late. */
const lateParts = ['chat-panel', 'teaser'];

/**
 * Lets the classic script load the parts that the default build made: a classic script can have no chunks of its own.
 * It does so in the words of the default build, which names the chunks and how their exports are called; only the
 * address is made absolute, since a classic script from another origin has no base address that an import could be
 * relative to.
 */
const partsOfDefaultBuild: Plugin = {
  name: 'parts-of-default-build',
  enforce: 'pre',
  resolveId(id) {
    const name = lateParts.find((part) => id.endsWith(`/${part}.ts`));
    return name === undefined ? null : { id: `./default-build/${name}`, external: 'relative' };
  },
  generateBundle(_, bundle) {
    const module = readFileSync('dist/voice-assistant-chat.js', 'utf8');
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      for (const name of lateParts) {
        const words = new RegExp(`import\\("\\./(chunks/${name}-[^"]+)"\\)(\\.then\\(\\w+=>\\w+\\.\\w+\\))?`);
        const [, chunk, exports] = words.exec(module) ?? [];
        const load = `import(new URL('${chunk ?? ''}',embedScript.src))${exports ?? ''}`;
        const code = file.code.replace(new RegExp(`import\\([\`"']\\./default-build/${name}[\`"']\\)`), load);
        if (chunk === undefined || code === file.code) {
          throw new Error(
            `dist/embed.js cannot load ${name}: run the default build first, or adapt vite.config.ts.`,
          );
        }
        file.code = code;
      }
      // The block keeps the name out of the page.
      file.code = `{const embedScript=document.currentScript;${file.code.replace(/(?=\n\/\/# |\s*$)/, '}')}`;
    }
  },
};

/**
 * Leaves of the Markdown library what the panel uses: the lexer. The rest (parser, renderers, a ready-made instance)
 * hangs on code that runs when the module loads, which no bundler may drop by itself; it is a quarter of the library.
 */
const lexerOfMarked: Plugin = {
  name: 'lexer-of-marked',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('marked/lib/marked.esm.js')) return null;
    const rest = /;var (\w+)=new \w+;function [^]*?export\{[^}]*?(\w+) as Lexer[^}]*\};/.exec(code);
    if (rest === null) throw new Error('marked looks different: adapt lexer-of-marked in vite.config.ts.');
    return {
      code: `${code.slice(0, rest.index)};export{${rest[2] ?? ''} as Lexer};`,
      map: null,
      moduleSideEffects: false,
    };
  },
};

/** Writes each language as one string without the names of its texts, which the list of languages has once for all. */
const packedTexts: Plugin = {
  name: 'packed-texts',
  async transform(code, id) {
    if (id.endsWith('/texts/text-keys.ts')) {
      return { code: `export const textKeys = '${textKeys.join()}'.split(',');`, map: null };
    }
    if (!/\/texts\/locales\/[\w-]+\.ts$/.test(id)) return null;
    // The types are gone by now, and with them all imports.
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: Texts };
    return { code: `export default ${JSON.stringify(pack(module.default))}`, map: null };
  },
};

/**
 * Writes a module that a chunk keeps for others as a plain object. The bundler's own way needs a chunk of its own, so
 * one more request before anyone can type. It changes no line's number, so source maps hold.
 */
const plainNamespaces: Plugin = {
  name: 'plain-namespaces',
  renderChunk(code) {
    const runtime = /^import \{ \w+ as __exportAll \} from "[^"]*rolldown-runtime[^"]*";$/m;
    const namespace = /\/\* @__PURE__ \*\/ __exportAll\(\{([^}]*)\}\)/g;
    if (!runtime.test(code)) return null;
    const plain = code
      .replace(runtime, '')
      .replace(
        namespace,
        (_, members: string) => `{${members.replace(/(\w+): \(\) => (\w+)/g, 'get $1() { return $2 }')}}`,
      );
    return { code: plain, map: null };
  },
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const runtime = chunks.find(({ name }) => name === 'rolldown-runtime');
    if (runtime && !chunks.some(({ code }) => code.includes(basename(runtime.fileName)))) {
      Reflect.deleteProperty(bundle, runtime.fileName);
    }
  },
};

/** Makes what the bundler has minified two per cent smaller: every byte of it is loaded by pages of others. */
const minifiedAgain: Plugin = {
  name: 'minified-again',
  async generateBundle({ format }, bundle) {
    for (const file of Object.values(bundle)) {
      const maps = bundle[`${file.fileName}.map`];
      if (file.type !== 'chunk' || maps?.type !== 'asset') continue;
      const { code, map } = await minify(file.code, {
        module: format === 'es',
        ecma: 2020,
        compress: { passes: 3 },
        sourceMap: { content: maps.source as string, url: basename(maps.fileName) },
      });
      if (code === undefined) throw new Error(`${file.fileName} cannot be minified.`);
      file.code = code;
      maps.source = map as string;
    }
  },
};

/** Takes away what earlier builds left: chunks have a new name for every content, so they would pile up. */
function withoutOldChunks(outDir: string): Plugin {
  return {
    name: 'without-old-chunks',
    buildStart() {
      rmSync(`${outDir}/chunks`, { recursive: true, force: true });
    },
  };
}

export default defineConfig(({ mode }): UserConfig => {
  const common: BuildOptions = {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    sourcemap: true,
    emptyOutDir: false,
    modulePreload: false,
  };
  if (mode === 'embed') {
    return {
      plugins: [minifiedAgain, partsOfDefaultBuild],
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
    api: 'src/client/api-client.ts',
  };
  const outDir = isForBundlers ? 'dist/npm' : 'dist';
  return {
    plugins: [lexerOfMarked, packedTexts, plainNamespaces, minifiedAgain, withoutOldChunks(outDir)],
    build: {
      ...common,
      outDir,
      lib: { entry: isForBundlers ? modules : scripts, formats: ['es'] },
      rolldownOptions: {
        ...(isForBundlers && { external: [/^lit(?:\/|$)/, /^zod(?:\/|$)/] }),
        output: {
          // Vite leaves the white space of ES libraries alone unless told otherwise.
          minify: true,
          entryFileNames: '[name].js',
          // With one chunk for each language six characters are too few.
          chunkFileNames: 'chunks/[name]-[hash:7].js',
          // What late parts share with the panel stays with the panel, which is there before them.
          codeSplitting: { groups: [{ name: 'chat-panel', test: /lit-html|widget.panel.chat-panel/ }] },
        },
      },
    },
  };
});

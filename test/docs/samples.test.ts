import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { repository } from '../support/repository.ts';
import { Document, documents } from './document.ts';
import { examplePages } from './example-pages.ts';

interface Sample {
  /** The document, and the number of the sample in it. */
  name: string;
  language: string;
  code: string;
}

const samples = documents.flatMap((path) =>
  Array.from(
    new Document(path).source.matchAll(/^ *```(\w+)[^\n]*\n([^]*?)^ *```$/gm),
    ([, language = '', code = ''], index): Sample => ({
      name: `${path}, sample ${index + 1}`,
      language,
      code,
    }),
  ),
);

const inLanguages = (...languages: string[]) =>
  samples.filter(({ language }) => languages.includes(language));

/** Names that samples take from the reader's page. */
const page = `
import type { VoiceAssistantChat } from 'voice-assistant-chat/element';
declare global {
  const chat: VoiceAssistantChat;
  /** Playwright's page. */
  const page: import('playwright').Page;
  const cart: { add(code: string): Promise<unknown> };
  function track(name: string, values: object): void;
  function gtag(...values: unknown[]): void;
  interface Window {
    dataLayer: unknown[];
    voiceAssistantChat?: { push(call: (chat: VoiceAssistantChat) => void): unknown };
  }
}
`;

/** Errors that only say that a fragment is not a whole program, or that a reader's package is not installed. */
const allowed = new Set([
  2307, // Cannot find module
  2882, // Cannot find module of a side-effect import
  7016, // a package without types
  2451, // declared twice, by two samples
  6133, // declared and not used
  1375, // await at the top level of a fragment
  1378,
]);

/** Type-checks samples as modules of a site that has installed the package. */
function typeErrors(checked: readonly Sample[], strict: boolean): string[] {
  const folder = join(repository, 'test/docs/samples');
  const files = new Map(checked.map((sample, index) => [join(folder, `${index}.ts`), sample]));
  const texts = new Map([...files].map(([file, { code }]) => [file, `export {};\n${code}`]));
  const pageFile = join(folder, 'page.d.ts');
  texts.set(pageFile, page);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    strict,
    noEmit: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.getCurrentDirectory = () => repository;
  host.fileExists = (file) => texts.has(file) || disk.fileExists(file);
  host.readFile = (file) => texts.get(file) ?? disk.readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = texts.get(file);
    return text === undefined
      ? disk.getSourceFile(file, target, ...rest)
      : ts.createSourceFile(file, text, target);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ code, messageText }) => {
      const isOwnPackage =
        code === 2307 && /'voice-assistant-chat/.test(ts.flattenDiagnosticMessageText(messageText, ' '));
      return !allowed.has(code) || isOwnPackage;
    })
    .map(({ file, messageText, code }) => {
      const name = files.get(file?.fileName ?? '')?.name ?? file?.fileName ?? '';
      return `${name}: TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
}

describe('the samples in the documents', () => {
  it('type-check, strictly if they are TypeScript', () => {
    assert.ok(inLanguages('ts', 'js').length >= 15);
    assert.deepEqual(typeErrors(inLanguages('js'), false), []);
    // The tools of the frameworks check the code of the examples.
    const isOfExample = ({ name }: Sample) =>
      examplePages.some((page) => name.startsWith(`docs/embed/${page}.md`));
    const ownSamples = inLanguages('ts').filter((sample) => !isOfExample(sample));
    assert.deepEqual(typeErrors(ownSamples, true), []);
  });

  it('parse as TSX and JSX', () => {
    const errors = inLanguages('tsx', 'jsx').flatMap(({ name, code }) => {
      const { diagnostics = [] } = ts.transpileModule(code, {
        fileName: 'sample.tsx',
        reportDiagnostics: true,
        compilerOptions: { jsx: ts.JsxEmit.Preserve },
      });
      return diagnostics.map(
        ({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    });
    assert.deepEqual(errors, []);
  });

  it('parse as JSON', () => {
    for (const { name, code } of inLanguages('json')) {
      assert.doesNotThrow(() => JSON.parse(code), name);
    }
  });

  it('parse as shell commands', () => {
    const checked = inLanguages('sh', 'bash');
    assert.ok(checked.length >= 10);
    const errors = checked.flatMap(({ name, code }) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
      return status === 0 ? [] : [`${name}: ${stderr}`];
    });
    assert.deepEqual(errors, []);
  });

  it('contain snippets with valid options', () => {
    const pattern = /<script[^>]*src="https:\/\/assistants\.example\/([^"?]+)/g;
    const sources = inLanguages('html').flatMap(({ name, code }) =>
      Array.from(code.matchAll(pattern), ([, path = '']) => ({ name, path })),
    );
    assert.ok(sources.length > 1);
    const unknown = sources.filter(
      ({ path }) =>
        !/^(embed\/ASSISTANT-UUID\.js|(v\/\d+\.\d+\.\d+\/)?(embed|voice-assistant-chat)\.js)$/.test(path),
    );
    assert.deepEqual(unknown, []);
  });
});

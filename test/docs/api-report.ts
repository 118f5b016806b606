import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { compressedLength } from '../size/compressed-size.ts';
import { repository } from '../support/repository.ts';
import { packageJson } from './package-json.ts';

/** Declarations that are longer are abridged to the names of their members. */
const maxLength = 6_000;

/**
 * Describes what the package exports: for each entry point its size, and every name with its declaration. Sizes are
 * rounded up to half a kilobyte and measured without the hashes of chunks, so that only changes that matter change the
 * report.
 */
export function createApiReport(): string {
  const entries = Object.entries(packageJson.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ path, types: target['types'] ?? '', script: target['default'] ?? '' }],
  );
  const files = entries.map(({ types }) => join(repository, types));
  const program = ts.createProgram(files, {
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2024,
    types: [],
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true });
  const describe = (symbol: ts.Symbol): string => {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const texts = (original.declarations ?? []).map((node) => {
      const shown = ts.isVariableDeclaration(node) ? node.parent.parent : node;
      const text = printer.printNode(ts.EmitHint.Unspecified, shown, node.getSourceFile());
      const publicText = text
        .replace(/^ +(#private|private .*);\n/gm, '')
        .replace(/^export |^declare /gm, '')
        // TypeScript prints unions and the values of an enumeration in the order in which it met them.
        .replace(/"[^"]*"(?: \| "[^"]*")+/g, (union) => union.split(' | ').sort().join(' | '))
        .replace(
          /(?:^ +(\w+): "\1";\n)+/gm,
          (values) => `${values.trimEnd().split('\n').sort().join('\n')}\n`,
        );
      if (publicText.length <= maxLength) return publicText;
      const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(original));
      return `${publicText.split('\n')[0] ?? ''}\n${members.map(({ name }) => `    ${name}`).join('\n')}`;
    });
    return texts.join('\n');
  };
  const chapters = entries.map(({ path, types, script }) => {
    const module = checker.getSymbolAtLocation(
      program.getSourceFile(join(repository, types)) as ts.SourceFile,
    );
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    const declarations = exported.sort((a, b) => (a.name < b.name ? -1 : 1)).map(describe);
    const scripts = withImports(join(repository, script));
    const bytes = [...scripts].reduce((sum, file) => sum + sizeWithoutHashes(file), 0);
    const kilobytes = Math.ceil(bytes / 500) / 2;
    const name = path === '.' ? packageJson.name : packageJson.name + path.slice(1);
    return `## ${name}\n\nWith the files that it imports, it has up to ${kilobytes} kB (brotli).\n\n\`\`\`ts\n${declarations.join('\n')}\n\`\`\``;
  });
  return [
    '# API report',
    'What the package exports. A change of this file is a change for users: make it on purpose, with\n`NEW_API_REPORT=1 npx node --test test/docs/api-report.test.ts`, and describe it in CHANGELOG.md.',
    ...chapters,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

/** The hash in a chunk's name changes with its content, and so does the size of every file that names it. */
function sizeWithoutHashes(file: string): number {
  return compressedLength(readFileSync(file, 'utf8').replace(/-[\w-]{8}(?=\.js)/g, ''));
}

/** A script and the files that load with it. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*["'](\.[^"']+)["']/g);
  for (const [, path = ''] of imports) withImports(join(dirname(file), path), found);
  return found;
}

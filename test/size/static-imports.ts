import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** The files that a browser loads for a script before it runs it: the script and what it imports statically. */
export function staticImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const { moduleSpecifier } = statement;
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) continue;
    if (!moduleSpecifier.text.startsWith('.')) {
      throw new Error(`${path} imports "${moduleSpecifier.text}", which no browser can find.`);
    }
    staticImports(join(dirname(path), moduleSpecifier.text), found);
  }
  return found;
}

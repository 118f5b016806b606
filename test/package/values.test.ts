import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { repository } from '../support/repository.ts';

const inNpm = (name: string) => join(repository, 'dist/npm', name);

/** The names that a declaration file exports as values. */
function declaredValues(file: string): string[] {
  const program = ts.createProgram([file], { noEmit: true, module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  assert(module, file);
  const isTypeOnly = ({ declarations = [] }: ts.Symbol) =>
    declarations.some(
      (declaration) => ts.isExportSpecifier(declaration) && declaration.parent.parent.isTypeOnly,
    );
  const isValue = (symbol: ts.Symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(symbol);
  };
  return checker
    .getExportsOfModule(module)
    .filter(isValue)
    .map(({ name }) => name);
}

describe('the declarations of', () => {
  for (const name of ['element', 'client', 'api'])
    it(`voice-assistant-chat/${name} promise the values that its script exports`, async () => {
      const script = (await import(pathToFileURL(inNpm(`${name}.js`)).href)) as object;
      assert.deepEqual(declaredValues(inNpm(`${name}.d.ts`)).sort(), Object.keys(script).sort());
    });
});

it('voice-assistant-chat/client and voice-assistant-chat/api export the same ChatError, for instanceof', async () => {
  const [client, api] = (await Promise.all(
    ['client', 'api'].map((name) => import(pathToFileURL(inNpm(`${name}.js`)).href)),
  )) as { ChatError: unknown }[];
  assert.equal(client?.ChatError, api?.ChatError);
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repository } from '../support/repository.ts';

/* Declarations that are not available at run time, parsed from the sources: types, templates and styles. */

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(repository, path), 'utf8'), ts.ScriptTarget.Latest);
}

function find<Node extends ts.Node>(
  path: string,
  kind: (node: ts.Node) => node is Node,
  name: string,
  nameOf: (node: Node) => ts.Node | undefined,
): Node {
  const source = parse(path);
  const visit = (node: ts.Node): Node | undefined =>
    kind(node) && nameOf(node)?.getText(source) === name ? node : ts.forEachChild(node, visit);
  const found = visit(source);
  if (found === undefined) throw new Error(`${path} declares no ${name}.`);
  return found;
}

const textOf = (name: ts.PropertyName | undefined): string =>
  name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : '';

/** The events of the element, each with the fields of its detail. */
export function eventsInSources(): Map<string, string[]> {
  const { members } = find(
    'src/widget/events.ts',
    ts.isInterfaceDeclaration,
    'ChatEventMap',
    ({ name }) => name,
  );
  return new Map(
    members.filter(ts.isPropertySignature).map(({ name, type }) => {
      const detail = type && ts.isTypeReferenceNode(type) ? type.typeArguments?.[0] : undefined;
      const fields = detail && ts.isTypeLiteralNode(detail) ? detail.members : [];
      return [textOf(name), fields.map((field) => textOf(field.name))];
    }),
  );
}

/** The string literals of a union type, without those of types that it refers to. */
export function literalsOf(path: string, typeName: string): string[] {
  return literalsIn(find(path, ts.isTypeAliasDeclaration, typeName, ({ name }) => name).type);
}

function literalsIn(type: ts.TypeNode | undefined): string[] {
  if (!type || !ts.isUnionTypeNode(type)) throw new Error('The type is not a union.');
  return type.types.flatMap((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal) ? [member.literal.text] : [],
  );
}

/** The parts named in templates and styles; `message-${role}` is replaced by a name for each role. */
export function partsInSources(): Set<string> {
  const message = find(
    'src/widget/conversation/snapshot.ts',
    ts.isInterfaceDeclaration,
    'Message',
    ({ name }) => name,
  );
  const role = message.members.filter(ts.isPropertySignature).find(({ name }) => textOf(name) === 'role');
  const roles = literalsIn(role?.type);
  const named = matches([
    /\bpart="([^"]+)"/g,
    /setAttribute\('part', '([^']+)'\)/g,
    /\bpart\.add\('([^']+)'\)/g,
    /\[part~?='([^']+)'\]/g,
  ]);
  const tokens = named.flatMap((list) => list.split(/\s+/));
  // One function makes the header's buttons; its first argument is their name.
  const buttons = matches([/\bbutton\('([^']+)'/g]);
  return new Set(
    tokens.flatMap((token) =>
      token.includes('${role}')
        ? roles.map((role) => token.replace('${role}', role))
        : token.includes('${name}')
          ? buttons.map((name) => token.replace('${name}', name))
          : token,
    ),
  );
}

/** The slots of the element. */
export function slotsInSources(): Set<string> {
  return new Set(matches([/<slot name="([^"]+)"/g, /\bslot\.name = '([^']+)'/g]));
}

/** The custom properties that a page may set. */
export function tokensInSources(): Set<string> {
  return new Set(matches([/\bvar\(\s*(--voice-assistant-chat-[\w-]+)/g]));
}

function matches(patterns: readonly RegExp[]): string[] {
  return globSync('src/widget/**/*.{ts,css}', { cwd: repository }).flatMap((path) => {
    const text = readFileSync(join(repository, path), 'utf8');
    return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name));
  });
}

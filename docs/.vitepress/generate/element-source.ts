import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/* The element's public members, read from the TSDoc of the sources. */

/** The config is bundled before it runs, so this cannot be relative to the module. VitePress runs in the repository. */
const repository = process.cwd();
const classFile = 'src/widget/voice-assistant-chat.ts';

/** A public member or name, with the text of its TSDoc. */
export interface Documented {
  name: string;
  /** The type, or the parameters of a method, as written in the source. */
  type: string;
  text: string;
}

function parse(path: string): ts.SourceFile {
  const file = join(repository, path);
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

function commentOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(doc?.comment)?.trim() ?? '';
}

function find<Node extends ts.Node>(path: string, kind: (node: ts.Node) => node is Node, name: string): Node {
  const visit = (node: ts.Node): Node | undefined =>
    kind(node) && (node as { name?: ts.Node }).name?.getText() === name ? node : ts.forEachChild(node, visit);
  const found = visit(parse(path));
  if (found === undefined) throw new Error(`${path} declares no ${name}.`);
  return found;
}

const elementClass = () => find(classFile, ts.isClassDeclaration, 'VoiceAssistantChat');

/** Properties, in the order of the source. */
export function elementProperties(): Documented[] {
  return elementClass()
    .members.filter(ts.isPropertyDeclaration)
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword))
    .map((member) => ({
      name: member.name.getText(),
      type: (member.type?.getText() ?? '').replaceAll(/\s+/g, ' '),
      text: commentOf(member),
    }));
}

export function elementMethods(): Documented[] {
  return elementClass()
    .members.filter(ts.isMethodDeclaration)
    .filter(({ name }) => ts.isIdentifier(name) && !name.text.endsWith('Callback'))
    .map((member) => ({
      name: member.name.getText(),
      type: member.parameters.map((parameter) => parameter.name.getText()).join(', '),
      text: commentOf(member),
    }));
}

/** Slots, parts or custom properties: the tags of the class's TSDoc. */
export function elementTags(tag: 'slot' | 'csspart' | 'cssproperty'): Documented[] {
  return ts
    .getJSDocTags(elementClass())
    .filter(({ tagName }) => tagName.text === tag)
    .map((node) => {
      const [name = '', ...text] = (ts.getTextOfJSDocComment(node.comment) ?? '').split(' - ');
      return { name: name.trim(), type: '', text: text.join(' - ').trim() };
    });
}

/** Events; the type lists the fields of `detail`. */
export function elementEvents(): Documented[] {
  const { members } = find('src/widget/events.ts', ts.isInterfaceDeclaration, 'ChatEventMap');
  return members.filter(ts.isPropertySignature).map((member) => {
    const detail =
      member.type && ts.isTypeReferenceNode(member.type) ? member.type.typeArguments?.[0] : undefined;
    const fields = detail && ts.isTypeLiteralNode(detail) ? detail.members : [];
    return {
      name: (member.name as ts.StringLiteral).text,
      type: fields.map((field) => field.getText().replace(/;$/, '')).join(', '),
      text: commentOf(member),
    };
  });
}

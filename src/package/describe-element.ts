import ts from 'typescript';
import {
  booleans,
  enumeratedAttributes,
  objects,
  observedAttributes,
  propertyName,
} from '../widget/element/attributes.ts';

/** The attributes, properties, methods, events, slots, parts and custom properties, from the declarations and their TSDoc. */
export interface ElementDescription {
  readonly tagName: 'voice-assistant-chat';
  readonly className: string;
  readonly description: string;
  readonly attributes: readonly AttributeDescription[];
  /** Properties without an attribute. */
  readonly properties: readonly Described[];
  readonly methods: readonly MethodDescription[];
  readonly events: readonly Described[];
  readonly slots: readonly Named[];
  readonly parts: readonly Named[];
  readonly customProperties: readonly Named[];
}

export interface Named {
  readonly name: string;
  readonly description: string;
}

export interface Described extends Named {
  /** TypeScript, as in `string | null`. */
  readonly type: string;
}

export interface AttributeDescription extends Described {
  readonly property: string;
  readonly isBoolean: boolean;
  /** The values of an enumeration; empty if any text is allowed. */
  readonly values: readonly string[];
}

export interface MethodDescription extends Named {
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
}

/**
 * Describes the element.
 *
 * @param declarations path of the declaration file that exports `VoiceAssistantChat` and `ChatEventMap`
 * @throws {Error} if an attribute or object of `attributes.ts` is not declared
 */
export function describeElement(declarations: string): ElementDescription {
  const program = ts.createProgram([declarations], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(declarations);
  const file = source && checker.getSymbolAtLocation(source);
  const exported = new Map(file && checker.getExportsOfModule(file).map((symbol) => [symbol.name, symbol]));
  const find = (name: string): ts.Symbol => {
    const symbol = exported.get(name);
    if (!symbol) throw new Error(`${declarations} does not export ${name}.`);
    return symbol;
  };
  const documentation = (symbol: ts.Symbol): string =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ');
  const typeOf = (symbol: ts.Symbol): ts.Type => checker.getTypeOfSymbol(symbol);
  // Aliases mean nothing outside the declarations, so unions are written out.
  const text = (type: ts.Type): string =>
    type.isUnion() && !(type.flags & ts.TypeFlags.Boolean)
      ? type.types.map(text).join(' | ').replace('false | true', 'boolean')
      : checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);

  const element = find('VoiceAssistantChat');
  const members = new Map(
    [...(element.members?.values() ?? [])]
      .filter(
        ({ name, flags }) =>
          !name.startsWith('__#') && flags & (ts.SymbolFlags.Property | ts.SymbolFlags.Method),
      )
      .map((member) => [member.name, member]),
  );
  const member = (name: string): ts.Symbol => {
    const found = members.get(name);
    if (!found) throw new Error(`VoiceAssistantChat declares no property ${name}.`);
    return found;
  };
  const describe = (name: string, symbol: ts.Symbol): Described => ({
    name,
    type: text(typeOf(symbol)),
    description: documentation(symbol),
  });
  const attribute = (name: string): AttributeDescription => {
    const property = propertyName(name);
    const described = describe(name, member(property));
    const values = [...described.type.matchAll(/"([^"]+)"/g)].map(([, value = '']) => value);
    return {
      ...described,
      property,
      isBoolean: booleans.includes(name),
      values: [...(enumeratedAttributes[name] ?? values)],
    };
  };

  /** The entries of a tag such as `@slot name - description`. */
  const tags = (tag: string): Named[] =>
    element
      .getJsDocTags(checker)
      .filter(({ name }) => name === tag)
      .map((found) => {
        const [name = '', ...description] = ts.displayPartsToString(found.text).split(' - ');
        return { name: name.trim(), description: description.join(' - ').replace(/\s+/g, ' ') };
      });

  // Callbacks are methods that browsers call.
  const methods = [...members.values()].filter(
    ({ name, flags }) => flags & ts.SymbolFlags.Method && !name.endsWith('Callback'),
  );
  return {
    tagName: 'voice-assistant-chat',
    className: element.name,
    description: documentation(element),
    attributes: observedAttributes.filter((name) => name !== 'lang' && name !== 'dir').map(attribute),
    properties: objects.map((name) => describe(name, member(name))),
    methods: methods.map((method) => ({
      name: method.name,
      description: documentation(method),
      parameters: (typeOf(method).getCallSignatures()[0]?.parameters ?? []).map((parameter) => ({
        name: parameter.name,
        type: text(typeOf(parameter)),
      })),
    })),
    events: checker
      .getDeclaredTypeOfSymbol(find('ChatEventMap'))
      .getProperties()
      .map((event) => describe(event.name, event)),
    slots: tags('slot'),
    parts: tags('csspart'),
    customProperties: tags('cssproperty'),
  };
}

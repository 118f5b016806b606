import type { AttributeDescription, ElementDescription } from './describe-element.ts';

/* The element's description in three formats: for tools that know custom elements, for VS Code and for JetBrains IDEs. */

/** The [custom elements manifest](https://github.com/webcomponents/custom-elements-manifest). */
export function customElementsManifest(element: ElementDescription): object {
  const { tagName, className, attributes, properties, methods, events } = element;
  const path = 'dist/npm/element.js';
  const defining = 'dist/npm/voice-assistant-chat.js';
  const typed = (text: string) => ({ type: { text } });
  return {
    schemaVersion: '2.1.0',
    modules: [
      {
        kind: 'javascript-module',
        path,
        declarations: [
          {
            kind: 'class',
            name: className,
            tagName,
            customElement: true,
            description: element.description,
            superclass: { name: 'HTMLElement' },
            attributes: attributes.map(({ name, property, type, description }) => ({
              name,
              fieldName: property,
              description,
              ...typed(type),
            })),
            members: [
              ...attributes.map(({ name, property, type, description }) => ({
                kind: 'field',
                name: property,
                attribute: name,
                description,
                ...typed(type),
              })),
              ...properties.map(({ name, type, description }) => ({
                kind: 'field',
                name,
                description,
                ...typed(type),
              })),
              ...methods.map(({ name, description, parameters }) => ({
                kind: 'method',
                name,
                description,
                parameters: parameters.map(({ name, type }) => ({ name, ...typed(type) })),
                return: typed('void'),
              })),
            ],
            events: events.map(({ name, type, description }) => ({ name, description, ...typed(type) })),
            slots: element.slots,
            cssParts: element.parts,
            cssProperties: element.customProperties,
          },
        ],
        exports: [{ kind: 'js', name: className, declaration: { name: className, module: path } }],
      },
      {
        kind: 'javascript-module',
        path: defining,
        declarations: [],
        exports: [
          {
            kind: 'custom-element-definition',
            name: tagName,
            declaration: { name: className, module: path },
          },
          { kind: 'js', name: className, declaration: { name: className, module: path } },
        ],
      },
    ],
  };
}

/** [Custom data](https://github.com/microsoft/vscode-custom-data) for HTML files in VS Code. */
export function htmlCustomData({ tagName, description, attributes }: ElementDescription): object {
  return {
    version: 1.1,
    tags: [
      {
        name: tagName,
        description,
        attributes: attributes.map(({ name, description, isBoolean, values }) => ({
          name,
          description,
          ...(isBoolean && { valueSet: 'v' }),
          ...(values.length > 0 && { values: values.map((value) => ({ name: value })) }),
        })),
      },
    ],
  };
}

/** [Web types](https://github.com/JetBrains/web-types) for JetBrains IDEs. */
export function webTypes(element: ElementDescription, name: string, version: string): object {
  const value = ({ isBoolean, values }: AttributeDescription) =>
    isBoolean
      ? { type: 'boolean', required: false }
      : { type: values.length > 0 ? values.map((text) => `"${text}"`) : 'string' };
  return {
    $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
    name,
    version,
    'description-markup': 'markdown',
    contributions: {
      html: {
        elements: [
          {
            name: element.tagName,
            description: element.description,
            attributes: element.attributes.map((attribute) => ({
              name: attribute.name,
              description: attribute.description,
              value: value(attribute),
            })),
            slots: element.slots,
            events: element.events.map(({ name, description }) => ({ name, description })),
            js: {
              properties: [
                ...element.attributes.map(({ property, type, description }) => ({
                  name: property,
                  type,
                  description,
                })),
                ...element.properties,
              ],
              events: element.events.map(({ name, type, description }) => ({ name, type, description })),
            },
            css: { parts: element.parts, properties: element.customProperties },
          },
        ],
      },
    },
  };
}

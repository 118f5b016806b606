import { observedAttributes } from '../../../src/widget/element/attributes.ts';
import { languages } from '../../../src/widget/texts/locales.ts';
import { elementEvents, elementMethods, elementProperties, elementTags } from './element-source.ts';
import { code, table } from './table.ts';

const propertyOf = (attribute: string) => attribute.replace(/-./g, (pair) => pair.charAt(1).toUpperCase());

/** Attributes that every HTML element has. */
const native: Readonly<Record<string, { type: string; text: string }>> = {
  lang: { type: 'string', text: 'A language tag such as `de` or `pt-BR`. See [languages](#languages).' },
  dir: { type: "'ltr' | 'rtl'", text: 'The text direction. Default: that of the language.' },
};

export function attributesTable(): string {
  const properties = new Map(elementProperties().map((property) => [property.name, property]));
  const rows = observedAttributes.map((attribute) => {
    const name = propertyOf(attribute);
    const { type, text } = native[attribute] ?? properties.get(name) ?? { type: '', text: '' };
    return [code(attribute), code(name), code(withoutEmpty(type)), text];
  });
  return table(['Attribute', 'Property', 'Type', 'Meaning'], rows);
}

/** Properties without an attribute. */
export function propertiesTable(): string {
  const withAttribute = new Set(observedAttributes.map(propertyOf));
  const rows = elementProperties()
    .filter(({ name }) => !withAttribute.has(name))
    .map(({ name, type, text }) => [code(name), code(withoutEmpty(type)), text]);
  return table(['Property', 'Type', 'Meaning'], rows);
}

/** An absent attribute is null or undefined, which the table need not say. */
const withoutEmpty = (type: string) => type.replace(/ \| (null|undefined)/g, '');

export function methodsTable(): string {
  return table(
    ['Method', 'Meaning'],
    elementMethods().map(({ name, type, text }) => [code(`${name}(${type})`), text]),
  );
}

export function eventsTable(): string {
  return table(
    ['Event', 'Fields of `detail`', 'When'],
    elementEvents().map(({ name, type, text }) => [code(name), type === '' ? '' : code(type), text]),
  );
}

export const slotsTable = () => tagsTable('slot', 'Slot');
export const partsTable = () => tagsTable('csspart', 'Part');
export const customPropertiesTable = () => tagsTable('cssproperty', 'Custom property');

function tagsTable(tag: Parameters<typeof elementTags>[0], head: string): string {
  return table(
    [head, 'Meaning'],
    elementTags(tag).map(({ name, text }) => [code(name), text.charAt(0).toUpperCase() + text.slice(1)]),
  );
}

/** The languages of the panel, by their English names. */
export function languagesList(): string {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return ['en', ...languages]
    .map((tag) => [names.of(tag) ?? tag, tag] as const)
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, tag]) => `${name} ${code(tag)}`)
    .join(', ')
    .concat('.');
}

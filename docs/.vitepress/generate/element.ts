import { languages } from '../../../src/widget/texts/locales.ts';
import { readElementManifest } from './element-manifest.ts';
import type { Documented } from './element-manifest.ts';
import { code, table } from './table.ts';

/** Attributes of every HTML element that the chat observes. */
const native = [
  [
    '`lang`',
    '`lang`',
    '`string`',
    'A language tag such as `de` or `pt-BR`. Default: see [languages](#languages).',
  ],
  ['`dir`', '`dir`', "`'ltr' | 'rtl'`", 'The text direction. Default: that of the language.'],
];

export function attributesTable(): string {
  const rows = readElementManifest().attributes.map(({ name, fieldName = name, type, description }) => [
    code(name),
    code(fieldName),
    code(withoutEmpty(type)),
    description,
  ]);
  return table(['Attribute', 'Property', 'Type', 'Meaning'], [...rows, ...native]);
}

/** Properties without an attribute. */
export function propertiesTable(): string {
  const rows = readElementManifest()
    .members.filter(({ kind, attribute, static: isStatic }) => kind === 'field' && !attribute && !isStatic)
    .map(({ name, type, description }) => [code(name), code(withoutEmpty(type)), description]);
  return table(['Property', 'Type', 'Meaning'], rows);
}

/** An absent attribute is null or undefined, which the table need not say. */
const withoutEmpty = (type: Documented['type']) =>
  (type?.text ?? 'string')
    .split(' | ')
    .filter((part) => part !== 'null' && part !== 'undefined')
    .join(' | ')
    .replaceAll('"', "'");

export function methodsTable(): string {
  const rows = readElementManifest()
    .members.filter(({ kind, static: isStatic }) => kind === 'method' && !isStatic)
    .map(({ name, parameters = [], description }) => [
      code(`${name}(${parameters.map((parameter) => parameter.name).join(', ')})`),
      description,
    ]);
  return table(['Method', 'Meaning'], rows);
}

export function eventsTable(): string {
  const rows = readElementManifest().events.map(({ name, type, description }) => {
    const [, fields] = /^CustomEvent<\{ (.*?);? \}>$/.exec(type?.text ?? '') ?? [];
    return [
      code(name),
      fields === undefined ? '' : code(fields.replaceAll(';', ',').replaceAll('"', "'")),
      description,
    ];
  });
  return table(['Event', 'Fields of `detail`', 'When'], rows);
}

export const slotsTable = () => namesTable('Slot', readElementManifest().slots);
export const partsTable = () => namesTable('Part', readElementManifest().cssParts);
export const customPropertiesTable = () => namesTable('Custom property', readElementManifest().cssProperties);

function namesTable(head: string, documented: Documented[]): string {
  const rows = documented.map(({ name, description }) => [
    code(name),
    description.charAt(0).toUpperCase() + description.slice(1),
  ]);
  return table([head, 'Meaning'], rows);
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

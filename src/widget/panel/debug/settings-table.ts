import { colorFrom } from '../../element/appearance.ts';
import type { VoiceAssistantChat } from '../../voice-assistant-chat.ts';
import type { PanelContext } from '../panel-context.ts';

/** A setting and the source of its value. */
interface Setting {
  readonly value: string;
  readonly from: string;
}

const hiddenValue = 'set (hidden)';
const hidden = ['user-key', 'user-token', 'variables'];
const objects = ['context', 'form', 'messages', 'suggestions', 'tools', 'variables'] as const;
/** CSS `color-scheme` values by theme. */
const themes: Readonly<Record<string, string>> = {
  light: 'light',
  dark: 'dark',
  auto: 'light dark',
  system: 'light dark',
};

/** All settings with the source of each value. Personal values are hidden. */
export function settingsTable(panel: PanelContext): Record<string, Setting> {
  const { element, root } = panel.host;
  const { options, locale } = panel;
  const { settings } = options;
  const { theme = '', color = '', block = '', inline = '' } = root.dataset;
  const appearance = { ...settings.widget_settings };
  const table: Record<string, Setting> = {};
  for (const name of element.getAttributeNames()) {
    if (isGlobalAttribute(name)) continue;
    const isKnown = (element.constructor as typeof VoiceAssistantChat).observedAttributes.includes(name);
    const value = hidden.includes(name) ? hiddenValue : (element.getAttribute(name) ?? '');
    table[name] = { value, from: isKnown ? 'attribute' : 'nothing: the chat has no such attribute' };
  }
  for (const name of objects) {
    const value = element[name];
    if (value)
      table[name] = { value: namesIn(value), from: element.hasAttribute(name) ? 'attribute' : 'property' };
  }
  const isTheme = (value: unknown): boolean => themes[String(value).trim().toLowerCase()] === theme;
  const isPosition = (value: unknown): boolean =>
    [block, inline].some((side) => String(value).toLowerCase().includes(side));
  return {
    ...table,
    'base-url': { value: options.baseUrl, from: element.baseUrl ? 'attribute' : 'the script’s origin' },
    theme: { value: theme, from: sourceOf(element.theme, appearance.theme, isTheme) },
    color: {
      value: color,
      from: sourceOf(element.color, appearance.color, (value) => colorFrom(String(value).trim()) === color),
    },
    position: {
      value: `${inline}-${block}`,
      from: sourceOf(element.position, appearance.position, isPosition),
    },
    heading: {
      value: options.heading ?? '',
      from: sourceOf(element.heading, settings.name, (value) => value === options.heading),
    },
    texts: { value: locale?.language ?? 'still loading', from: `wanted: ${options.languages.join(', ')}` },
  };
}

function sourceOf(attribute: unknown, assistants: unknown, isUsed: (value: unknown) => boolean): string {
  if (typeof attribute === 'string' && isUsed(attribute)) return 'attribute';
  const isAssistants = typeof assistants === 'string' && isUsed(assistants);
  const source = isAssistants ? 'the assistant’s settings' : 'default';
  return typeof attribute === 'string'
    ? `${source}, since the attribute cannot be used: ${attribute}`
    : source;
}

/** The keys of an object, without its values. */
function namesIn(value: object): string {
  if (!Array.isArray(value)) return Object.keys(value).join(', ');
  const names = (value as readonly { readonly name?: unknown }[]).map(({ name }) => name);
  return names.every((name) => typeof name === 'string') ? names.join(', ') : `${value.length} entries`;
}

/** Attributes that every element may have. */
function isGlobalAttribute(name: string): boolean {
  return /^(?:id|class|style|slot|part|role|title|hidden|tabindex|(?:data|aria)-.*)$/.test(name);
}

import { toJson } from '../../client/to-json.ts';
import { warnOnce } from '../warn-once.ts';
/*
 * The element's attributes. The attribute is the single source of truth, so a value works the same whether it was
 * written in HTML, set before the element was defined, or set later.
 */

const texts =
  'assistant-id base-url theme color position heading subheading launcher-label launcher-sublabel placeholder greeting teaser teaser-delay user-token user-key keep-days allow-images voice variables'.split(
    ' ',
  );
export const booleans: readonly string[] = 'inline open sound show-function-calls debug'.split(' ');

/** Set by scripts only; attributes cannot hold functions. */
export const objects: readonly string[] = 'context form messages suggestions tools'.split(' ');

/** Attributes with a fixed set of values; the first is the default for missing or unknown values. */
export const enumeratedAttributes: Readonly<Record<string, readonly string[]>> = {
  type: ['widget', 'test'],
  persist: ['local', 'session', 'none'],
  preload: ['auto', 'none'],
};

export const attributes: readonly string[] = [...texts, ...booleans, ...Object.keys(enumeratedAttributes)];

export const observedAttributes: readonly string[] = [...attributes, 'lang', 'dir'];

/** `assistant-id` to `assistantId`. */
export function propertyName(attribute: string): string {
  return attribute.replace(/-./g, (pair) => (pair[1] as string).toUpperCase());
}

/** Anything but a JSON object warns and counts as no variables. */
function parseVariables(json: string | null): unknown {
  if (!json) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    if (/^\s*{/.test(json)) return value;
  } catch {
    // Invalid JSON gets the same warning as JSON of the wrong type.
  }
  warnOnce(`variables="${json}": use a JSON object.`);
  return undefined;
}

/** An element with observed attributes. */
interface Observing extends HTMLElement {
  attributeChangedCallback: (name: string, old: unknown, value: unknown) => void;
}

function read(name: string, value: string | null): unknown {
  const allowed = enumeratedAttributes[name];
  if (allowed) {
    const known = allowed.find((candidate) => candidate === value?.trim().toLowerCase());
    if (!known && value) warnOnce(`${name}="${value}": use ${allowed.join(' or ')}.`);
    return known ?? allowed[0];
  }
  if (name === 'variables') return parseVariables(value);
  return booleans.includes(name) ? value !== null : value;
}

export type AttributeValue = object | string | number | boolean | null | undefined;

/** The text of an attribute; undefined for none. An object without JSON becomes the reason, which the getter reports. */
export function attributeText(value: AttributeValue): string | undefined {
  if (value == null || value === false) return undefined;
  try {
    return value === true ? '' : typeof value === 'object' ? toJson(value) : `${value}`;
  } catch (error) {
    return `${error as Error}`;
  }
}

/**
 * Defines a property for every attribute, like those of native elements: text is the attribute's value
 * or null, a boolean is its presence, an enumeration is one of its values. Objects have a property and no attribute.
 */
export function defineProperties(prototype: HTMLElement): void {
  for (const name of attributes) {
    Object.defineProperty(prototype, propertyName(name), {
      enumerable: true,
      get(this: HTMLElement) {
        return read(name, this.getAttribute(name));
      },
      set(this: HTMLElement, value: AttributeValue) {
        const text = attributeText(value);
        if (text === undefined) this.removeAttribute(name);
        else this.setAttribute(name, text);
      },
    });
  }
  for (const name of objects) {
    const values = new WeakMap<HTMLElement, unknown>();
    Object.defineProperty(prototype, name, {
      enumerable: true,
      get(this: HTMLElement) {
        return values.get(this);
      },
      set(this: Observing, value: unknown) {
        const old = values.get(this);
        values.set(this, value);
        this.attributeChangedCallback(name, old, value);
      },
    });
  }
}

/**
 * Passes properties that were set before the element was defined to the accessors that they shadow. Frameworks set them
 * while the script is still loading.
 */
export function upgradeProperties(element: HTMLElement): void {
  const properties = element as unknown as Record<string, unknown>;
  for (const [name, value] of Object.entries(element)) {
    // Without the own property, the accessor is used.
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
    delete properties[name];
    properties[name] = value;
  }
}

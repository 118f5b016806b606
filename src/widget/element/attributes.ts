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

/** Returns undefined for anything but a JSON object. */
function parseObject(json: string): unknown {
  try {
    if (/^\s*{/.test(json)) return JSON.parse(json);
  } catch {
    // Invalid JSON gets the same warning as JSON of another type.
  }
  return undefined;
}

/** An element with observed attributes. */
interface Observing extends HTMLElement {
  attributeChangedCallback: (name: string, old: unknown, value: unknown) => void;
}

/** A value that is not allowed warns and counts as none. */
function read(name: string, value: string | null): unknown {
  const allowed = enumeratedAttributes[name];
  if (!allowed && name !== 'variables') return booleans.includes(name) ? value !== null : value;
  const known = allowed
    ? allowed.find((candidate) => candidate === value?.trim().toLowerCase())
    : parseObject(value as string);
  if (!known && value) warnOnce(`${name}="${value}": use ${allowed?.join(' or ') ?? 'a JSON object'}.`);
  return known ?? allowed?.[0];
}

/**
 * Returns an object's JSON. For an object that cannot be converted, such as one with a cycle, it returns the error's
 * message instead, so that reading the attribute warns with it.
 */
export function jsonOf(value: object): string {
  try {
    return toJson(value);
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
      set(this: HTMLElement, value: string | object | boolean | null | undefined) {
        if (value == null || value === false) this.removeAttribute(name);
        else this.setAttribute(name, value === true ? '' : typeof value === 'object' ? jsonOf(value) : value);
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
export function upgradeProperties(properties: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(properties)) {
    // Without the own property, the accessor is used.
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
    delete properties[name];
    properties[name] = value;
  }
}

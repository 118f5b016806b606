/*
 * The element's attributes. The attribute is the one source of truth, so a value works the same whether it was
 * written in HTML, set before the element was defined, or set later.
 */

const textAttributes =
  'assistant-id base-url theme color position heading subheading launcher-label launcher-sublabel placeholder greeting';
const booleanAttributes = 'inline open';

/** Of a fixed set of values; the first one stands for a missing or unknown value. */
const enumeratedAttributes = { type: ['widget', 'test'], persist: ['local', 'session', 'none'] };

const texts = textAttributes.split(' ');
const booleans = booleanAttributes.split(' ');
const properties = [...texts, ...booleans, ...Object.keys(enumeratedAttributes), 'variables'];

export const observedAttributes: readonly string[] = [...properties, 'lang', 'dir'];

/** `assistant-id` to `assistantId`. */
function propertyName(attribute: string): string {
  return attribute.replace(/-./g, ([, letter]) => letter?.toUpperCase() ?? '');
}

const warned = new Set<string>();

/** Tells the site's owner about a bad value: once for each, since pages re-render. */
export function warnOnce(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  // eslint-disable-next-line no-console -- the only place where a site's owner looks
  console.warn(`<voice-assistant-chat> ${message}`);
}

function oneOf(attribute: string, value: string | null, allowed: readonly string[]): string | undefined {
  const known = allowed.find((candidate) => candidate === value?.trim().toLowerCase());
  if (known === undefined && value) warnOnce(`${attribute}="${value}": use ${allowed.join(' or ')}.`);
  return known ?? allowed[0];
}

/** Malformed JSON warns and counts as no variables. */
function parseVariables(json: string | null): unknown {
  try {
    const value: unknown = json && JSON.parse(json);
    if (!value || (typeof value === 'object' && !Array.isArray(value))) return value || undefined;
  } catch {
    // No JSON and the wrong JSON are the same mistake to a site's owner.
  }
  warnOnce(`variables='${json}': use a JSON object.`);
  return undefined;
}

/**
 * Gives `prototype` a property for every attribute, in the manner of native elements: text is the attribute's value
 * or null, a boolean is its presence, an enumeration is one of its values.
 */
export function defineProperties(prototype: HTMLElement): void {
  const define = (attribute: string, get: (value: string | null) => unknown): void => {
    Object.defineProperty(prototype, propertyName(attribute), {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement) {
        return get(this.getAttribute(attribute));
      },
      set(this: HTMLElement, value: string | object | boolean | null | undefined) {
        if (value === null || value === undefined || value === false) this.removeAttribute(attribute);
        else if (typeof value === 'object') this.setAttribute(attribute, JSON.stringify(value));
        else this.setAttribute(attribute, value === true ? '' : value);
      },
    });
  };
  for (const name of texts) define(name, (value) => value);
  for (const name of booleans) define(name, (value) => value !== null);
  for (const [name, allowed] of Object.entries(enumeratedAttributes)) {
    define(name, (value) => oneOf(name, value, allowed));
  }
  define('variables', parseVariables);
}

/**
 * Hands properties that were set before the element was defined to the accessors that hide behind them; frameworks
 * do that while the script still loads.
 */
export function upgradeProperties(element: HTMLElement): void {
  const own = element as unknown as Record<string, unknown>;
  for (const name of properties.map(propertyName)) {
    if (!Object.hasOwn(own, name)) continue;
    const value = own[name];
    // The instance's own value shadows the accessor.
    Reflect.deleteProperty(own, name);
    own[name] = value;
  }
}

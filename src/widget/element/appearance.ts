/*
 * Theme, color and position: the site's attributes first, then the assistant's `widget_settings`, then defaults.
 * Invalid values are skipped silently, since people write both. Black or white text on the color: `--_on-accent` in
 * shell.css.
 */

/** The settings of one source. Any of them may be missing or of any type. */
export interface AppearanceSettings {
  readonly theme?: unknown;
  readonly color?: unknown;
  readonly position?: unknown;
}

export interface Appearance {
  /** A value of CSS's `color-scheme`: `light`, `dark` or both. */
  readonly theme: string;
  /** Any CSS color. */
  readonly color: string;
  readonly block: 'top' | 'bottom';
  readonly inline: 'left' | 'right';
}

/** Return the value if it is valid, otherwise a falsy value. */
const readers = {
  theme: (value: string) => /^(light|dark|auto|system)$/i.test(value) && value,
  color: (value: string) => isOwnColor(value) && colorFrom(value),
  position: (value: string) => /left|right|top|bottom/i.test(value) && value,
};

/** Functions that compute a color from nothing but their arguments. */
const colorFunctions = /^(rgba?|hsla?|hwb|(ok)?l(ab|ch)|color(-mix)?|light-dark|calc|min|max|clamp)$/i;

/**
 * Whether a color is independent of its context. Keywords such as `inherit` and functions such as `var()` and `env()`
 * take their value from the page. Browsers also keep an unclosed bracket of such a function, which would swallow the
 * rest of the style sheet.
 */
function isOwnColor(value: string): boolean {
  const functions = value.match(/[\w-]+(?=\()/g) ?? [];
  return (
    functions.every((name) => colorFunctions.test(name)) && !/^(in[hi]|un|rev|current|transp)/i.test(value)
  );
}

/** The color as the browser serializes it, with all brackets closed; empty if it is invalid. */
export function colorFrom(value: string): string {
  // Simulated documents of test runners have no `Option`.
  const { style } = new Image();
  style.color = value;
  return style.color;
}

/** The first valid value among `sources`. */
function find(name: keyof AppearanceSettings, ...sources: readonly AppearanceSettings[]): string | undefined {
  for (const source of sources) {
    const value = source[name];
    const found = typeof value === 'string' && readers[name](value.trim());
    if (found) return found;
  }
  return undefined;
}

/** Accepts both orders (`right-bottom`, `bottom-right`) and a single side. Defaults: right and bottom. */
export function resolveAppearance(site: AppearanceSettings, assistant: AppearanceSettings): Appearance {
  const position = find('position', site, assistant) ?? '';
  return {
    theme: (find('theme', site, assistant) ?? 'auto').replace(/auto|system/i, 'light dark'),
    color: find('color', site, assistant) ?? '#2f5bea',
    block: /top/i.test(position) ? 'top' : 'bottom',
    inline: /left/i.test(position) ? 'left' : 'right',
  };
}

/** Whether these settings alone decide theme, color and position, so that no request is needed. */
export function isAppearanceComplete(settings: AppearanceSettings): boolean {
  return (Object.keys(readers) as (keyof AppearanceSettings)[]).every((name) => find(name, settings));
}

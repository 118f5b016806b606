/*
 * How the widget looks: the site's attributes first, then the assistant's `widget_settings`, then defaults. Both
 * come from people and databases, so whatever cannot be used falls back without a sound.
 */

/** What a source says of a look: any of it may be missing or of any type. */
export interface LookSettings {
  readonly theme?: unknown;
  readonly color?: unknown;
  readonly position?: unknown;
}

export interface Look {
  /** A value of CSS's `color-scheme`: `light`, `dark` or both. */
  readonly theme: string;
  /** Any CSS color. */
  readonly color: string;
  readonly block: 'top' | 'bottom';
  readonly inline: 'left' | 'right';
}

/** What of a value can be used, if anything. */
const understood = {
  theme: (value: string) => /^(light|dark|auto|system)$/i.test(value) && value,
  // Words that borrow another color depend on the page around, which is not what an owner chose. The browser writes it
  // out: what it takes may be half-open, and would take in what follows in a sheet.
  color: (value: string) => {
    const { style } = new Option();
    if (!/var\(|^(in[hi]|un|rev|current|transp)/i.test(value)) style.color = value;
    return style.color;
  },
  position: (value: string) => /left|right|top|bottom/i.test(value) && value,
};

/** What the first of `sources` that says anything of use says of a look. */
function find(name: keyof LookSettings, ...sources: readonly LookSettings[]): string | undefined {
  for (const source of sources) {
    const value = source[name];
    const found = typeof value === 'string' && understood[name](value.trim());
    if (found) return found;
  }
  return undefined;
}

/** Both orders (`right-bottom`, `bottom-right`) and a bare side are understood; what is missing is right and bottom. */
export function resolveLook(site: LookSettings, assistant: LookSettings): Look {
  const position = find('position', site, assistant) ?? '';
  return {
    theme: (find('theme', site, assistant) ?? 'auto').replace(/auto|system/i, 'light dark'),
    color: find('color', site, assistant) ?? '#2f5bea',
    block: /top/i.test(position) ? 'top' : 'bottom',
    inline: /left/i.test(position) ? 'left' : 'right',
  };
}

/** Whether these settings leave nothing to ask the service for. */
export function isComplete(settings: LookSettings): boolean {
  return (Object.keys(understood) as (keyof LookSettings)[]).every((name) => find(name, settings));
}

/** Red, green and blue, each 0 to 1, in sRGB. */
export type Rgb = readonly [red: number, green: number, blue: number];

/**
 * The color that a browser makes of any CSS color, laid over white where it is translucent.
 *
 * @param probe a connected element without a style of its own; it has none afterwards either
 */
export function parseColor(color: string, probe: HTMLElement): Rgb {
  const hex = /^#(?:(..)(..)(..)|(.)(.)(.))$/.exec(color);
  if (hex) {
    const channels = hex.slice(1).filter(Boolean);
    return channels.map((digits) => parseInt(digits.padEnd(2, digits), 16) / 255) as unknown as Rgb;
  }
  // A mix of a color with itself is computed as `color(srgb r g b / a)`, in whatever space it was written.
  probe.style.color = color;
  probe.style.color = `color-mix(in srgb,${color},${color})`;
  const computed = getComputedStyle(probe).color;
  probe.removeAttribute('style');
  const scale = computed.startsWith('rgb') ? 255 : 1;
  const [red = 0, green = 0, blue = 0, alpha = 1] = computed.match(/-?[\d.]+(e-\d+)?/g)?.map(Number) ?? [];
  return [red, green, blue].map(
    (value) => Math.min(1, Math.max(0, value / scale)) * alpha + 1 - alpha,
  ) as unknown as Rgb;
}

/** Relative luminance as WCAG 2 defines it, 0 to 1. */
export function luminance(color: Rgb): number {
  return color
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
}

/** Black or white, whichever reads on `background`: 0.183 is where white still has 4.5:1, and black then has 4.66:1. */
export function readableOn(background: Rgb): '#fff' | '#000' {
  return luminance(background) <= 0.183 ? '#fff' : '#000';
}

export function toCss(color: Rgb): string {
  return `rgb(${color.map((value) => Math.round(value * 255)).join(' ')})`;
}

import type { Rgb } from '../shell/contrast.ts';

/** The panel's raised surfaces, on which contrast is hardest to reach: keep in step with `--_raised` in `panel.css`. */
const lightSurface: Rgb = [0xf1 / 255, 0xf3 / 255, 0xf6 / 255];
const darkSurface: Rgb = [0x26 / 255, 0x2a / 255, 0x33 / 255];

/**
 * The accent color as text, for light and dark: as it is where it reads with at least 4.5:1, else mixed with black or
 * white by as little as it takes.
 */
export function accentText(accent: Rgb, luminance: (color: Rgb) => number): string {
  const readable = (surface: Rgb, towards: 0 | 1): string => {
    const background = luminance(surface);
    for (let share = 0; ; share += 0.05) {
      const mixed = accent.map((value) => value * (1 - share) + towards * share) as unknown as Rgb;
      const [dark = 0, light = 0] = [luminance(mixed), background].sort((a, b) => a - b);
      if (share >= 1 || (light + 0.05) / (dark + 0.05) >= 4.6) {
        return `rgb(${mixed.map((value) => Math.round(value * 255)).join(' ')})`;
      }
    }
  };
  return `light-dark(${readable(lightSurface, 0)},${readable(darkSurface, 1)})`;
}

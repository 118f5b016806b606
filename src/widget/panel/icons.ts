import { svg, type TemplateResult } from 'lit/html.js';

/** A 24 by 24 outline in the current color. Hidden from assistive technology, since the button around it has a name. */
export function icon(path: string, className = ''): TemplateResult {
  return svg`<svg viewBox="0 0 24 24" aria-hidden="true" class=${className}><path d=${path} /></svg>`;
}

export const closeIcon = icon('M6 6l12 12M18 6 6 18');
export const restartIcon = icon('M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4');
export const sendIcon = icon('M4 12 20 4l-6 16-3-7z', 'directional');
export const stopIcon = icon('M7 7h10v10H7z');
export const moreIcon = icon('M5 11a1 1 0 1 0 .1 0zm7 0a1 1 0 1 0 .1 0zm7 0a1 1 0 1 0 .1 0z');

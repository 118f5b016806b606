/** One sheet serves every panel on the page. */
const sheets = new Map<string, CSSStyleSheet>();

/** Gives a shadow root styles, as a sheet and not as an element: pages with a strict policy refuse those. */
export function adoptStyles(root: ShadowRoot, css: string): void {
  const sheet = sheets.get(css) ?? new CSSStyleSheet();
  if (!sheets.has(css)) sheet.replaceSync(css);
  sheets.set(css, sheet);
  root.adoptedStyleSheets.push(sheet);
}

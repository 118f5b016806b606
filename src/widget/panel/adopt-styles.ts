/** One sheet serves every panel on the page. */
const sheets = new Map<string, CSSStyleSheet>();

/** Adds styles to a shadow root as a `CSSStyleSheet`, because a strict CSP blocks `<style>` elements. */
export function adoptStyles(root: ShadowRoot, css: string): void {
  const sheet = sheets.get(css) ?? new CSSStyleSheet();
  if (!sheets.has(css)) sheet.replaceSync(css);
  sheets.set(css, sheet);
  root.adoptedStyleSheets.push(sheet);
}

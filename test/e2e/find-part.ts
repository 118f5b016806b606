/*
 * These functions are sent to the page as text, so they must not use anything outside themselves. Functions that a spec
 * runs in the page can call them.
 */

/** Returns the first element with a part name, at any depth of shadow roots. */
export function findPart(name: string): Element | undefined {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    const found = root.querySelector(`[part~="${name}"]`);
    if (found) return found;
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  return undefined;
}

/** Returns the texts of all visible elements with a part name, in document order. */
export function partTexts(name: string): string[] {
  const texts: string[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element.part.contains(name) && element.checkVisibility({ visibilityProperty: true })) {
        texts.push((element as HTMLElement).innerText.trim());
      }
    }
  }
  return texts;
}

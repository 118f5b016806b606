/*
 * Run in the page, sent there as text: they must not use anything from outside themselves. Functions that a spec
 * sends to the page can call them.
 */

/** The first element with a part name, however deep in shadow roots. */
export function findPart(name: string): Element | undefined {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    const found = root.querySelector(`[part~="${name}"]`);
    if (found) return found;
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  return undefined;
}

/** The texts of all visible elements with a part name, in the order of the page. */
export function partTexts(name: string): string[] {
  const texts: string[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element.part.contains(name) && element.checkVisibility()) {
        texts.push((element as HTMLElement).innerText.trim());
      }
    }
  }
  return texts;
}

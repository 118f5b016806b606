/** Returns the new sentences of a growing answer, and the entire rest once it is complete. */
export type Sentences = (answer: Element, isComplete: boolean) => string;

/**
 * Announces text to screen readers, politely and one line at a time. A live region must be in the page before its text
 * changes, so it is created with the panel and stays.
 */
export class Announcer {
  readonly element = document.createElement('div');
  /** Replaced when answers are announced while they grow; until then, each is announced when complete. */
  sentences: Sentences = textOf;

  /** Whether the announced text is complete, so that the next answer replaces it instead of following it. */
  isComplete = false;

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
    // Each line is read by itself as it is added.
    this.element.setAttribute('aria-atomic', 'false');
  }

  /**
   * Announces the new text of the last answers in a log.
   *
   * @param count of answers, since several may arrive together
   */
  announce(log: ParentNode, isComplete = true, count = 1): void {
    // Not in one query: that would search the whole history.
    const lines = [...log.querySelectorAll('.page:has(> .assistant)')]
      .slice(-count)
      .flatMap((page) => [...page.querySelectorAll('.assistant > article > :last-child')])
      .slice(-count)
      .flatMap((answer) => this.sentences(answer, isComplete) || []);
    if (!lines[0]) return;
    if (this.isComplete) this.element.replaceChildren();
    for (const text of lines) {
      const line = document.createElement('p');
      line.textContent = text;
      this.element.append(line);
    }
    this.isComplete = isComplete;
  }
}

/** An answer's text. `textContent`, since an answer outside the viewport may not be rendered. */
function textOf(answer: Element): string {
  const blocks = answer.childElementCount > 0 ? [...answer.children] : [answer];
  return blocks.map((block) => (block.querySelector('pre') ?? block).textContent.trim()).join('\n');
}

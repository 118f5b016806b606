/**
 * Announces text to screen readers, politely and one line at a time. A live region must be in the page before its text
 * changes, so it is created with the panel and stays.
 */
export class Announcer {
  readonly element = document.createElement('div');

  /** Whether the announced answer is complete, so that the next one replaces it instead of following it. */
  isComplete = false;

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
    // Each line is read by itself as it is added.
    this.element.setAttribute('aria-atomic', 'false');
  }

  /** Announces a line of text, and returns its element. */
  say(text: string): HTMLElement {
    const line = document.createElement('p');
    line.textContent = text;
    this.element.append(line);
    return line;
  }
}

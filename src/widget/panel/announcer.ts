/**
 * Announces text to screen readers, politely and one line at a time. A live region must be in the page before its text
 * changes, so it is created with the panel and stays.
 */
export class Announcer {
  readonly element = document.createElement('div');

  /** Whether the announced text is complete, so that the next answer replaces it instead of following it. */
  isComplete = false;

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
    // Each line is read by itself as it is added.
    this.element.setAttribute('aria-atomic', 'false');
  }
}

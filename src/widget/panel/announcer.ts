/**
 * Says things to screen readers, politely and one at a time. A live region must be in the page before its text
 * changes, so it is made with the panel and stays.
 */
export class Announcer {
  readonly element = document.createElement('div');

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
  }

  /** Says what an answer says, without the buttons in it. */
  announce(answer: HTMLElement): void {
    const blocks = answer.childElementCount > 0 ? [...answer.children] : [answer];
    const texts = blocks.map((block) => (block.querySelector('pre') ?? (block as HTMLElement)).innerText);
    const line = document.createElement('p');
    line.textContent = texts.join('\n');
    // A new node is read also when it says the same as the one before.
    this.element.replaceChildren(line);
  }
}

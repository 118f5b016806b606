/** Gives what is new in a growing answer, sentence by sentence; all of the rest when it is complete. */
export type Sentences = (answer: Element, isComplete: boolean) => string;

/**
 * Says things to screen readers, politely and one at a time. A live region must be in the page before its text
 * changes, so it is made with the panel and stays.
 */
export class Announcer {
  readonly element = document.createElement('div');
  /** Set when answers are said while they grow; until then each is said when it is complete. */
  sentences: Sentences = textOf;

  #isComplete = false;

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
    // Each line is read by itself, when it comes.
    this.element.setAttribute('aria-atomic', 'false');
  }

  /** Says what is new in the last answer of a log. */
  announce(log: ParentNode, isComplete = true): void {
    // Not by one search: it would pass through the whole history.
    const page = [...log.querySelectorAll('.page:has(> .assistant)')].at(-1);
    const answer = [...(page?.querySelectorAll('.assistant > article > :last-child') ?? [])].at(-1);
    const text = answer && this.sentences(answer, isComplete);
    if (!text) return;
    this.#say(text);
    this.#isComplete = isComplete;
  }

  #say(text: string): void {
    // What was said of the answer before is done with.
    if (this.#isComplete) this.element.replaceChildren();
    const line = document.createElement('p');
    line.textContent = text;
    this.element.append(line);
  }
}

/** What an answer says, roughly: what shows is not asked, since an answer may be out of sight and not be rendered. */
function textOf(answer: Element): string {
  const blocks = answer.childElementCount > 0 ? [...answer.children] : [answer];
  return blocks.map((block) => (block.querySelector('pre') ?? block).textContent.trim()).join('\n');
}

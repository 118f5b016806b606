import { until, type Chat } from './chat-fixture.ts';

/** Whether the middle of an element is visible and clickable, shadow roots included. */
export function isReachable(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect();
  const middle = [x + width / 2, y + height / 2] as const;
  let top = document.elementFromPoint(...middle);
  while (top?.shadowRoot) {
    const deeper = top.shadowRoot.elementFromPoint(...middle);
    if (deeper === null || deeper === top) break;
    top = deeper;
  }
  return top !== null && (element === top || element.contains(top));
}

export function isWithinWindow(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}

/** Waits for the panel's opening animation. In WebKit it ends a little earlier on the panel than inside it. */
export async function settled(chat: Chat): Promise<void> {
  const panel = chat.part('panel');
  const tops = (): string =>
    [panel, ...panel.children].map((element) => element.getBoundingClientRect().top).join();
  let before = '';
  await until(() => {
    const now = tops();
    const isStill =
      now === before &&
      chat
        .part('message-log')
        .getAnimations()
        .every(({ playState }) => playState === 'finished');
    before = now;
    return isStill;
  }, 'the panel to stop moving');
}

const added: Element[] = [];

/** Inserts an element into the page. */
export function put<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  css: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.style.cssText = css;
  document.body.append(element);
  added.push(element);
  return element;
}

/** Removes the inserted elements. */
export function removeInserted(): void {
  for (const element of added.splice(0)) element.remove();
}

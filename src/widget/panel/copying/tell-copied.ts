import type { Texts } from '../../texts/texts.ts';
import type { PanelReach } from '../panel-reach.ts';

/** Milliseconds for which a button says what became of a press. */
const pause = 5000;

const ends = new WeakMap<HTMLElement, () => void>();

/**
 * Says what became of copying, on the button and to screen readers: for a while, or until the visitor goes on.
 *
 * @param show puts a text on the button, or takes it off again
 */
export async function tellCopied(
  copying: Promise<unknown>,
  button: HTMLElement,
  { announcer }: PanelReach,
  { copied, impossible }: Texts,
  show: (text: string | undefined) => void,
): Promise<void> {
  const text = await copying.then(
    () => copied,
    () => impossible,
  );
  ends.get(button)?.();
  const line = document.createElement('p');
  line.textContent = text;
  announcer.element.append(line);
  show(text);
  const end = (): void => {
    clearTimeout(timer);
    button.removeEventListener('blur', end);
    ends.delete(button);
    line.remove();
    show(undefined);
  };
  const timer = setTimeout(end, pause);
  button.addEventListener('blur', end);
  ends.set(button, end);
}

import type { Texts } from '../../texts/texts.ts';
import type { Announcer } from '../announcer.ts';

/** Milliseconds for which a button shows the result. */
const resultDuration = 5000;

const ends = new WeakMap<HTMLElement, () => void>();

/**
 * Shows the result of copying on the button and announces it, for 5 seconds or until the button loses the focus.
 *
 * @param show puts a text on the button, or removes it
 */
export async function showCopied(
  copying: Promise<unknown>,
  button: HTMLElement,
  announcer: Announcer,
  { copied, impossible }: Texts,
  show: (text: string | undefined) => void,
): Promise<void> {
  const text = await copying.then(
    () => copied,
    () => impossible,
  );
  ends.get(button)?.();
  const line = announcer.say(text);
  show(text);
  const end = (): void => {
    clearTimeout(timer);
    button.removeEventListener('blur', end);
    ends.delete(button);
    line.remove();
    show(undefined);
  };
  const timer = setTimeout(end, resultDuration);
  button.addEventListener('blur', end);
  ends.set(button, end);
}

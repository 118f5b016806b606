import { html, type TemplateResult } from 'lit/html.js';
import { countCharacters, limits } from '../../contract/limits.ts';
import { fill, type Locale } from '../texts/texts.ts';
import { sendIcon, stopIcon } from './icons.ts';
import { isComposing } from './is-composing.ts';
import type { PanelActions } from './panel-actions.ts';

const limit = limits.message.max;
/** From this length on, the visitor sees the character count. */
const countShownFrom = limit * 0.9;
/** Screen readers announce the count when the number of steps changes; the limit is the end of one. */
const steps = (count: number): number => Math.ceil(count / 50);

/** The message form. Enter sends, Shift+Enter inserts a line break; unfinished IME input is never sent. */
export function composer({
  draft,
  locale,
  actions,
  placeholder,
  canStop,
  inComposer,
}: {
  readonly draft: string;
  readonly locale: Locale;
  readonly actions: Pick<PanelActions, 'setDraft' | 'submit' | 'submitOrStop'>;
  readonly placeholder: string;
  /** Whether the button stops the answer instead of sending. */
  readonly canStop: boolean;
  /** Buttons of add-ons. */
  readonly inComposer: readonly unknown[];
}): TemplateResult {
  const { texts } = locale;
  const label = canStop ? texts.stop : texts.send;
  const count = countCharacters(draft);
  const onInput = (event: InputEvent): void => {
    const { value, form } = event.target as HTMLTextAreaElement;
    const note = form?.lastElementChild;
    if (note) note.ariaLive = steps(countCharacters(value)) === steps(count) ? 'off' : 'polite';
    actions.setDraft(value);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    actions.submit();
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    actions.submitOrStop();
  };
  // An invisible copy makes the field grow with its text. It stops growing long before 2,000 characters.
  return html`<form part="composer" @submit=${onSubmit}>
    <div class="field" data-text=${draft.slice(0, 2000) || placeholder}>
      <textarea
        part="composer-input"
        rows="1"
        aria-label=${texts.yourMessage}
        aria-describedby="composer-note"
        aria-invalid=${count > limit}
        placeholder=${placeholder}
        enterkeyhint="send"
        dir=${draft && 'auto'}
        @input=${onInput}
        @keydown=${onKeyDown}
      ></textarea>
    </div>
    ${inComposer}
    <button
      part="send-button"
      type="submit"
      title=${label}
      @pointerdown=${keepFocus}
      @click=${ignoreSecondClick}
    >
      ${canStop ? stopIcon : sendIcon}
    </button>
    <p
      id="composer-note"
      class="note"
      ?data-error=${count > limit}
      aria-live="polite"
      .textContent=${count < countShownFrom ? '' : characterCount(count, locale)}
    ></p>
  </form>`;
}

/** The character count. Called only near the limit: `Intl.NumberFormat` takes 50 ms to load on a slow phone. */
function characterCount(count: number, { language, texts }: Locale): string {
  const number = new Intl.NumberFormat(language);
  return fill(count > limit ? texts.tooLong : texts.count, {
    count: number.format(count),
    limit: number.format(limit),
    excess: number.format(count - limit),
  });
}

/** Keeps the focus in the field, and with it the on-screen keyboard. */
function keepFocus(event: Event): void {
  event.preventDefault();
}

/** The second click of a double click would stop the answer that the first one requested. */
function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}

import { html, nothing, render, type TemplateResult } from 'lit/html.js';
import type { Locale, Texts } from '../../texts/texts.ts';
import { hasClipboard, writeClipboard } from '../copying/write-clipboard.ts';
import type { PanelContext } from '../panel-context.ts';
import { isMuted, setMuted } from '../sound-switch.ts';
import { download } from './download.ts';
import { printTranscript } from './print-transcript.ts';
import {
  transcriptCopy,
  transcriptFileName,
  transcriptJson,
  wholeTranscript,
  type Transcript,
} from './transcript.ts';

/**
 * Attaches the menu to its button when the pointer or focus first reaches it; a click also opens it. From then on
 * the browser opens and closes it: it is a popover, and the button its invoker.
 */
export function menuFor(button: HTMLButtonElement, { type }: Event, panel: PanelContext): void {
  const menu = (button.popoverTargetElement ?? new Menu(button, panel).element) as HTMLElement;
  // The element may have been removed while this module was loading.
  if (type === 'click' && menu.isConnected) menu.showPopover();
}

/** A menu button's menu, as the ARIA Authoring Practices describe it. */
class Menu {
  readonly element = document.createElement('div');
  readonly #button: HTMLButtonElement;
  readonly #panel: PanelContext;
  #isConfirming = false;
  /** The result of copying, shown in place of the item's label. */
  #copyResult: string | undefined;

  constructor(button: HTMLButtonElement, panel: PanelContext) {
    this.#button = button;
    this.#panel = panel;
    const { element } = this;
    button.ariaHasPopup = 'menu';
    button.ariaExpanded = 'false';
    element.popover = 'auto';
    element.className = 'menu';
    element.addEventListener('beforetoggle', (event) => {
      if (event.newState !== 'open') return;
      this.#isConfirming = false;
      this.#copyResult = undefined;
      this.#render();
    });
    element.addEventListener('toggle', (event) => {
      const isOpen = event.newState === 'open';
      button.ariaExpanded = String(isOpen);
      if (!isOpen) return;
      this.#place();
      this.#focus(0);
    });
    element.addEventListener('keydown', (event) => {
      this.#onKey(event);
    });
    // The browser would keep the menu open while the chat is hidden or moves. Hiding the menu is not enough: Chromium 156
    // crashes if it disappears after the popover around it has been shown again.
    const watch = new MutationObserver(() => {
      watch.disconnect();
      element.remove();
      button.ariaExpanded = 'false';
    });
    watch.observe(panel.host.element, { attributeFilter: ['inline', 'open'] });
    // Before Lit's content, which leaves it alone; inside the panel, so that it hides with it.
    panel.container.prepend(element);
    button.popoverTargetElement = element;
  }

  get #texts(): Texts {
    return (this.#panel.locale as Locale).texts;
  }

  #render(): void {
    render(this.#isConfirming ? this.#confirmation() : this.#items(), this.element);
  }

  #items(): TemplateResult {
    const { element } = this.#panel.host;
    const texts = this.#texts;
    const item = (label: string, act: () => void, isOn?: boolean): TemplateResult =>
      html`<button
        type="button"
        role=${isOn === undefined ? 'menuitem' : 'menuitemcheckbox'}
        aria-checked=${isOn ?? nothing}
        tabindex="-1"
        @click=${act}
      >
        ${label}
      </button>`;
    const closing = (act: (transcript: Transcript) => unknown) => (): void => {
      this.#close();
      void wholeTranscript(this.#panel).then(act);
    };
    const withMessages = html`${
      hasClipboard() ? item(this.#copyResult ?? texts.copyTranscript, () => void this.#copy()) : nothing
    }
    ${item(
      texts.print,
      closing((transcript) => printTranscript(this.#panel, transcript)),
    )}
    ${item(
      texts.downloadText,
      closing((transcript) => {
        download(transcriptCopy(transcript).text, 'text/plain', transcriptFileName(transcript, 'txt'));
      }),
    )}
    ${item(
      texts.downloadJson,
      closing((transcript) => {
        download(transcriptJson(transcript), 'application/json', transcriptFileName(transcript, 'json'));
      }),
    )}`;
    return html`<div role="menu" aria-label=${texts.more}>
        ${this.#panel.conversation.snapshot.messages.length > 0 ? withMessages : nothing}
        ${
          element.sound
            ? item(
                texts.sound,
                () => {
                  this.#toggleSound();
                },
                !isMuted(this.#panel.storage),
              )
            : nothing
        }
        ${item(texts.forget, () => {
          this.#setConfirming(true);
        })}
      </div>
      <span class="visually-hidden" role="status">${this.#copyResult}</span>`;
  }

  #confirmation(): TemplateResult {
    const { forgetQuestion, delete: deleteText, cancel } = this.#texts;
    const forget = (): void => {
      this.element.hidePopover();
      // The menu's button disappears. From a closed panel, the focus returns to the launcher.
      this.#panel.container.focus({ preventScroll: true });
      this.#panel.host.element.forget();
    };
    return html`<div role="alertdialog" aria-labelledby="forget-question">
      <p id="forget-question">${forgetQuestion}</p>
      <button
        type="button"
        @click=${() => {
          this.#setConfirming(false);
        }}
      >
        ${cancel}
      </button>
      <button type="button" class="danger" @click=${forget}>${deleteText}</button>
    </div>`;
  }

  #setConfirming(isConfirming: boolean): void {
    this.#isConfirming = isConfirming;
    this.#render();
    // The harmless button has the focus first. Cancel returns the focus to the item.
    this.#focus(isConfirming ? 0 : -1);
  }

  async #copy(): Promise<void> {
    const { copied, impossible } = this.#texts;
    try {
      await writeClipboard(wholeTranscript(this.#panel).then(transcriptCopy));
      this.#copyResult = copied;
    } catch {
      // The browser or the page forbids it; downloads still work.
      this.#copyResult = impossible;
    }
    this.#render();
  }

  #toggleSound(): void {
    const { storage } = this.#panel;
    setMuted(storage, !isMuted(storage));
    this.#render();
  }

  #close(): void {
    this.element.hidePopover();
    // Browsers restore the focus only to the element that had it, and not all focus a clicked button.
    this.#button.focus();
  }

  #focus(index: number): void {
    [...this.element.querySelectorAll('button')].at(index)?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    const buttons = [...this.element.querySelectorAll('button')];
    const at = buttons.indexOf((event.target as Element).closest('button') as HTMLButtonElement);
    const next = (at + 1) % buttons.length;
    const target = {
      ArrowDown: next,
      // Of two buttons, the next one is also the previous one.
      Tab: next,
      ArrowUp: (at - 1 + buttons.length) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (event.key === 'Escape') {
      // Escape closes the menu, and not the chat behind it.
      event.stopPropagation();
      event.preventDefault();
      this.#close();
    } else if (event.key === 'Tab' && !this.#isConfirming) this.#close();
    else if (target !== undefined) {
      event.preventDefault();
      this.#focus(target);
    }
  }

  /** Places the menu below its button, on the side with room. */
  #place(): void {
    const { left, right, bottom } = this.#button.getBoundingClientRect();
    const { style } = this.element;
    const isLeft = left + right < innerWidth;
    style.top = `${Math.max(0, Math.min(bottom + 4, innerHeight - this.element.offsetHeight))}px`;
    style.left = isLeft ? `${Math.max(8, left)}px` : 'auto';
    style.right = isLeft ? 'auto' : `${Math.max(8, document.documentElement.clientWidth - right)}px`;
  }
}

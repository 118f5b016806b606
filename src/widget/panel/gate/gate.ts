import type { TemplateResult } from 'lit/html.js';
import type { Conversation } from '../../conversation/conversation.ts';
import type { SessionRequest } from '../../conversation/history/request-conversation.ts';
import type { Texts } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import gateCss from './gate.css?inline';
import { consentKey, formKey } from './gate-keys.ts';
import { FormState } from './form-view.ts';
import { focusLater, gateView } from './gate-view.ts';

export { gateCss as css };

/** The site's consent slot and its form. No conversation starts until the visitor has completed both. */
export class Gate {
  readonly panel: PanelContext;
  /** The answers to the form, until the page is left. Another visitor has another conversation. */
  readonly #answers = new WeakMap<Conversation, Readonly<Record<string, unknown>>>();

  readonly #forms = new WeakMap<Conversation, FormState>();
  /** The part of the gate that was shown last: the consent slot, or a form. */
  #shown: unknown;

  constructor(panel: PanelContext) {
    this.panel = panel;
    // The service has the answers now. The listener is released together with the element.
    panel.host.element.addEventListener('chat-ready', () => {
      const { conversation, storage } = panel;
      storage.removeItem(formKey(conversation));
      const answers = this.#answers.get(conversation);
      if (answers) conversation.choose({ answered: Object.keys(answers) });
    });
    this.refresh();
  }

  get needsConsent(): boolean {
    const { host, storage } = this.panel;
    return !!host.element.querySelector('[slot=consent]') && !storage.getItem(consentKey);
  }

  get isClosed(): boolean {
    const { host, conversation } = this.panel;
    // A conversation of an earlier visit resumes without the form.
    const needsForm =
      !!host.element.form?.length && !this.#answers.has(conversation) && conversation.bookmark === undefined;
    return this.needsConsent || needsForm;
  }

  /** The state of the site's form; a new one if the site replaces the form. */
  get form(): FormState {
    const { conversation, host, storage } = this.panel;
    const { form } = host.element;
    const known = this.#forms.get(conversation);
    if (known?.isFor(form)) return known;
    const state = new FormState(form, storage, formKey(conversation));
    this.#forms.set(conversation, state);
    return state;
  }

  /** Moves the focus into a part of the gate that was not shown before. */
  focus(part: unknown): void {
    if (part !== this.#shown) focusLater(this);
    this.#shown = part;
  }

  /** Opens the gate with the visitor's answers to the form. */
  complete(answers: Readonly<Record<string, unknown>>): void {
    this.#answers.set(this.panel.conversation, answers);
  }

  /** The visitor's answers to the form; undefined before they are given. */
  get answers(): SessionRequest['answers'] {
    return this.#answers.get(this.panel.conversation);
  }

  /** Renders the gate, which replaces the chat while it is closed. */
  view(texts: Texts): TemplateResult {
    return gateView(this, texts);
  }

  /** Deletes the visitor's consent and answers. */
  forget(): void {
    const { conversation, storage } = this.panel;
    this.#answers.delete(conversation);
    this.#forms.delete(conversation);
    for (const key of [consentKey, formKey(conversation)]) storage.removeItem(key);
    this.refresh();
  }

  /** Makes the element update: whether it may store data may have changed. */
  refresh(): void {
    this.panel.host.element.attributeChangedCallback('', 0, 1);
  }
}

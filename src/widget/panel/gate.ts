import type { PanelReach } from './panel-reach.ts';

/** The entries of what a visitor agreed to, and of what they filled in until the conversation opens. */
export const consentKey = 'voice-assistant-chat:consent';
export const formKey = 'voice-assistant-chat:form';

type Variables = Readonly<Record<string, unknown>> | undefined;

/** What stands before a conversation: the site's consent slot and its form. Until they are done, nothing is sent. */
export class Gate {
  /** What the visitor filled in; it holds for as long as the page stays. */
  answers: Variables;
  readonly #panel: PanelReach;
  readonly #isKept: () => boolean;

  /** @param isKept whether a conversation of an earlier visit goes on */
  constructor(panel: PanelReach, isKept: () => boolean) {
    this.#panel = panel;
    this.#isKept = isKept;
  }

  get needsConsent(): boolean {
    const { host, storage } = this.#panel;
    return !!host.element.querySelector('[slot=consent]') && !storage.getItem(consentKey);
  }

  get isClosed(): boolean {
    const isAsking = !!this.#panel.host.element.form?.length && !this.answers && !this.#isKept();
    return this.needsConsent || isAsking;
  }

  /** The page's variables, with what the visitor filled in laid over them. */
  withAnswers<Options extends { readonly variables: Variables }>(options: Options): Options {
    return this.answers ? { ...options, variables: { ...options.variables, ...this.answers } } : options;
  }

  forget(): void {
    this.answers = undefined;
    for (const key of [consentKey, formKey]) this.#panel.storage.removeItem(key);
    this.refresh();
  }

  /** Has everything looked at again: what may be stored, and what shows. */
  refresh(): void {
    this.#panel.host.element.attributeChangedCallback('', 0, 1);
  }
}

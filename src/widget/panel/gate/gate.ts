import type { TemplateResult } from 'lit/html.js';
import type { Texts } from '../../texts/texts.ts';
import type { ChatOptions } from '../options.ts';
import type { PanelContext } from '../panel-context.ts';
import gateCss from './gate.css?inline';
import { consentKey, formKey } from './gate-keys.ts';
import { gateView } from './gate-view.ts';

export { gateCss as css };

export function createGate(panel: PanelContext): Gate {
  return new Gate(panel);
}

/** The site's consent slot and its form. Nothing is sent until the visitor has completed both. */
export class Gate {
  /** The visitor's answers to the form, until the page is left. */
  answers: Readonly<Record<string, unknown>> | undefined;
  readonly panel: PanelContext;

  constructor(panel: PanelContext) {
    this.panel = panel;
    // The service has the answers now. The listener is released together with the element.
    panel.host.element.addEventListener('chat-ready', () => {
      panel.storage.removeItem(formKey);
    });
    this.refresh();
  }

  get needsConsent(): boolean {
    const { host, storage } = this.panel;
    return !!host.element.querySelector('[slot=consent]') && !storage.getItem(consentKey);
  }

  get isClosed(): boolean {
    const { host } = this.panel;
    // A conversation of an earlier visit resumes without the form.
    const needsForm =
      !!host.element.form?.length && !this.answers && this.panel.conversation.bookmark === undefined;
    return this.needsConsent || needsForm;
  }

  /** The page's variables, overridden by the visitor's answers; undefined without answers. */
  variables(): Pick<ChatOptions, 'variables'> | undefined {
    const { variables } = this.panel.host.element;
    return this.answers && { variables: { ...variables, ...this.answers } };
  }

  /** Renders the gate, which replaces the chat while it is closed. */
  view(texts: Texts): TemplateResult {
    return gateView(this, texts);
  }

  /** Deletes the visitor's consent and answers. */
  forget(): void {
    this.answers = undefined;
    for (const key of [consentKey, formKey]) this.panel.storage.removeItem(key);
    this.refresh();
  }

  /** Makes the element update: whether it may store data may have changed. */
  refresh(): void {
    this.panel.host.element.attributeChangedCallback('', 0, 1);
  }
}

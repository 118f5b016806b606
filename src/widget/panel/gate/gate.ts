import type { TemplateResult } from 'lit/html.js';
import type { AddOnReach } from '../add-on.ts';
import type { ChatOptions } from '../options.ts';
import type { PanelModel } from '../panel-model.ts';
import gateCss from './gate.css?inline';
import { consentKey, formKey } from './gate-keys.ts';
import { gateView } from './gate-view.ts';

export { gateCss as css };

export function createGate(panel: AddOnReach): Gate {
  return new Gate(panel);
}

/** What stands before a conversation: the site's consent slot and its form. Until they are done, nothing is sent. */
export class Gate {
  /** What the visitor filled in; it holds for as long as the page stays. */
  answers: Readonly<Record<string, unknown>> | undefined;
  readonly panel: AddOnReach;

  constructor(panel: AddOnReach) {
    this.panel = panel;
    // What the visitor filled in is the service's then. The listener ends with the element.
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
    // A conversation of an earlier visit goes on without the form.
    const isAsking =
      !!host.element.form?.length && !this.answers && this.panel.state().conversation.bookmark === undefined;
    return this.needsConsent || isAsking;
  }

  /** The page's variables, with what the visitor filled in laid over them; nothing where there is nothing. */
  variables(): Pick<ChatOptions, 'variables'> | undefined {
    const { variables } = this.panel.state().options;
    return this.answers && { variables: { ...variables, ...this.answers } };
  }

  /** What stands in place of the chat while it is closed. */
  view(model: PanelModel): TemplateResult {
    return gateView(this, model);
  }

  forget(): void {
    this.answers = undefined;
    for (const key of [consentKey, formKey]) this.panel.storage.removeItem(key);
    this.refresh();
  }

  /** Has everything looked at again: what may be stored, and what shows. */
  refresh(): void {
    this.panel.host.element.attributeChangedCallback('', 0, 1);
  }
}

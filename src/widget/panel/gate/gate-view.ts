import { html, type TemplateResult } from 'lit/html.js';
import { keyed } from 'lit/directives/keyed.js';
import { focusPanel } from '../focus-panel.ts';
import type { Texts } from '../../texts/texts.ts';
import { formView } from './form-view.ts';
import { consentKey } from './gate-keys.ts';
import type { Gate } from './gate.ts';

/** Renders the consent slot, and after the visitor's consent the form. */
export function gateView(gate: Gate, texts: Texts): TemplateResult {
  if (gate.needsConsent) {
    gate.focus('consent');
    const onClick = ({ target }: Event): void => {
      if ((target as Element).closest('[data-consent]') !== null) giveConsent(gate);
    };
    const onChange = (): void => {
      gate.refresh();
    };
    return html`<div part="gate" class="consent" role="group" aria-label=${texts.notice} tabindex="0">
      <slot name="consent" @click=${onClick} @slotchange=${onChange}></slot>
    </div>`;
  }
  const { form } = gate;
  const onComplete = (answers: Readonly<Record<string, unknown>>): void => {
    gate.complete(answers);
    showConversation(gate);
  };
  // Without valid fields, the chat opens without the form.
  if (form.fields.length === 0)
    queueMicrotask(() => {
      onComplete({});
    });
  gate.focus(form);
  // Other fields for another form, since these contain the visitor's entries.
  return html`<div part="gate">
    ${keyed(form, formView(form, texts, gate.panel.requestRender, onComplete))}
  </div>`;
}

function giveConsent(gate: Gate): void {
  const { container, host, storage } = gate.panel;
  storage.setItem(consentKey, 'given');
  const { persist } = host.element;
  try {
    if (persist !== 'none') globalThis[`${persist}Storage`].setItem(consentKey, 'given');
  } catch {
    // The storage is full or blocked: the consent lasts until the page is left.
  }
  if (gate.isClosed) {
    gate.refresh();
    container.focus({ preventScroll: true });
  } else showConversation(gate);
}

/** Shows the conversation, and moves the focus there. */
function showConversation(gate: Gate): void {
  const { container } = gate.panel;
  container.toggleAttribute('data-blocked', false);
  for (const view of container.querySelectorAll<HTMLElement>('[part=gate]')) view.hidden = true;
  focusPanel(container);
  gate.refresh();
}

/** Moves the focus into the gate after the next render, if the visitor opened the chat or the gate hides the focused field. */
export function focusLater({ panel: { container, host } }: Gate): void {
  const before = host.shadowRoot.activeElement;
  requestAnimationFrame(() => {
    const { activeElement } = host.shadowRoot;
    const isHidden = before?.checkVisibility() === false && (!activeElement || activeElement === before);
    if (isHidden || activeElement === container) focusPanel(container);
  });
}

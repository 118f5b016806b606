import { html, type TemplateResult } from 'lit/html.js';
import { focusPanel } from '../focus-panel.ts';
import type { Texts } from '../../texts/texts.ts';
import { formView, Questions } from './form-view.ts';
import { consentKey } from './gate-keys.ts';
import type { Gate } from './gate.ts';

const asked = new WeakMap<Gate, Questions>();
const showed = new WeakSet<Gate>();

/** Draws the consent slot, and after the visitor's consent the form. */
export function gateView(gate: Gate, texts: Texts): TemplateResult {
  const { host, storage, draw } = gate.panel;
  if (gate.needsConsent) {
    if (!showed.has(gate)) focusLater(gate);
    showed.add(gate);
    const onClick = ({ target }: Event): void => {
      if ((target as Element).closest('[data-consent]') !== null) agree(gate);
    };
    const onChange = (): void => {
      gate.refresh();
    };
    return html`<div part="gate" class="consent" role="group" aria-label=${texts.notice} tabindex="0">
      <slot name="consent" @click=${onClick} @slotchange=${onChange}></slot>
    </div>`;
  }
  const known = asked.get(gate);
  const questions = known?.isFor(host.element.form) ? known : new Questions(host.element.form, storage);
  asked.set(gate, questions);
  const pass = (answers: Readonly<Record<string, unknown>>): void => {
    gate.answers = answers;
    leave(gate);
  };
  // No field is valid: the chat opens without the form.
  if (questions.fields.length === 0)
    queueMicrotask(() => {
      pass({});
    });
  if (questions !== known) focusLater(gate);
  return html`<div part="gate">${formView(questions, texts, draw, pass)}</div>`;
}

function agree(gate: Gate): void {
  const { container, host, storage } = gate.panel;
  storage.setItem(consentKey, 'given');
  const { persist } = host.element;
  try {
    if (persist !== 'none') globalThis[`${persist}Storage`].setItem(consentKey, 'given');
  } catch {
    // The storage is full or blocked: the consent is valid until the page is left.
  }
  if (gate.isClosed) {
    gate.refresh();
    container.focus({ preventScroll: true });
  } else leave(gate);
}

/** Shows the conversation, and moves the focus there. */
function leave(gate: Gate): void {
  const { container } = gate.panel;
  container.toggleAttribute('data-barred', false);
  for (const view of container.querySelectorAll<HTMLElement>('[part=gate]')) view.hidden = true;
  focusPanel(container);
  gate.refresh();
}

/** Moves the focus into the gate once it is drawn, if the visitor opened the chat. */
function focusLater({ panel: { container, host } }: Gate): void {
  requestAnimationFrame(() => {
    if (host.shadowRoot.activeElement === container) focusPanel(container);
  });
}

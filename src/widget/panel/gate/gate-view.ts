import { html, type TemplateResult } from 'lit/html.js';
import { focusPanel } from '../focus-panel.ts';
import type { PanelModel } from '../panel-model.ts';
import { formView, Questions } from './form-view.ts';
import { consentKey } from './gate-keys.ts';
import type { Gate } from './gate.ts';

const asked = new WeakMap<Gate, Questions>();
const showed = new WeakSet<Gate>();

/** What the visitor does first: agree to what the site asks, then fill in its form. */
export function gateView(gate: Gate, model: PanelModel): TemplateResult {
  const { host, storage } = gate.panel;
  if (gate.needsConsent) {
    if (!showed.has(gate)) focusLater(gate);
    showed.add(gate);
    const onClick = ({ target }: Event): void => {
      if ((target as Element).closest('[data-consent]') !== null) agree(gate);
    };
    const onChange = (): void => {
      gate.refresh();
    };
    return html`<div
      part="gate"
      class="consent"
      role="group"
      aria-label=${model.locale.texts.notice}
      tabindex="0"
    >
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
  // Nothing of it can be asked: the chat does not wait for that.
  if (questions.fields.length === 0)
    queueMicrotask(() => {
      pass({});
    });
  if (questions !== known) focusLater(gate);
  return html`<div part="gate">${formView(questions, model, pass)}</div>`;
}

function agree(gate: Gate): void {
  const { container, host, storage } = gate.panel;
  storage.setItem(consentKey, 'given');
  const { persist } = host.element;
  try {
    if (persist !== 'none') globalThis[`${persist}Storage`].setItem(consentKey, 'given');
  } catch {
    // Full or blocked: it holds for as long as the page stays.
  }
  if (gate.isClosed) {
    gate.refresh();
    container.focus({ preventScroll: true });
  } else leave(gate);
}

/** On to the conversation, with the focus, whose place goes away. */
function leave(gate: Gate): void {
  const { container } = gate.panel;
  container.toggleAttribute('data-barred', false);
  for (const view of container.querySelectorAll<HTMLElement>('[part=gate]')) view.hidden = true;
  focusPanel(container);
  gate.refresh();
}

/** Whoever opened the chat goes on in what stands before it, once that is there. */
function focusLater({ panel: { container, host } }: Gate): void {
  requestAnimationFrame(() => {
    if (host.shadowRoot.activeElement === container) focusPanel(container);
  });
}

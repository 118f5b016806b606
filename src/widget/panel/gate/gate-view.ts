import { html, type TemplateResult } from 'lit/html.js';
import { focusPanel } from '../focus-panel.ts';
import { consentKey } from '../gate.ts';
import type { PanelModel } from '../panel-model.ts';
import type { PanelReach } from '../panel-reach.ts';
import { formView, Questions } from './form-view.ts';
import gateCss from './gate.css?inline';

export { gateCss as css };

const asked = new WeakMap<PanelReach, Questions>();

/** What the visitor does first: agree to what the site asks, then fill in its form. */
export function gateView(model: PanelModel): TemplateResult {
  const { panel } = model;
  const { gate, host } = panel;
  if (gate.needsConsent) {
    const onClick = ({ target }: Event): void => {
      if ((target as Element).closest('[data-consent]') !== null) agree(panel);
    };
    const onChange = (): void => {
      gate.refresh();
    };
    return html`<div part="gate">
      <slot name="consent" @click=${onClick} @slotchange=${onChange}></slot>
    </div>`;
  }
  const known = asked.get(panel);
  const questions = known?.isFor(host.element.form) ? known : new Questions(host.element.form, panel.storage);
  asked.set(panel, questions);
  const pass = (answers: Readonly<Record<string, unknown>>): void => {
    gate.answers = answers;
    leave(panel);
  };
  // Nothing of it can be asked: the chat does not wait for that.
  if (questions.fields.length === 0)
    queueMicrotask(() => {
      pass({});
    });
  if (questions !== known) focusLater(panel);
  return html`<div part="gate">${formView(questions, model, pass)}</div>`;
}

function agree(panel: PanelReach): void {
  const { gate, host, storage } = panel;
  storage.setItem(consentKey, 'given');
  const { persist } = host.element;
  try {
    if (persist !== 'none') globalThis[`${persist}Storage`].setItem(consentKey, 'given');
  } catch {
    // Full or blocked: it holds for as long as the page stays.
  }
  if (gate.isClosed) {
    gate.refresh();
    panel.container.focus({ preventScroll: true });
  } else leave(panel);
}

/** On to the conversation, with the focus, whose place goes away. */
function leave({ gate, container }: PanelReach): void {
  container.toggleAttribute('data-barred', false);
  for (const view of container.querySelectorAll<HTMLElement>('[part=gate]')) view.hidden = true;
  focusPanel(container);
  gate.refresh();
}

/** Whoever opened the chat goes on in the first field, once there is one. */
function focusLater({ container, host }: PanelReach): void {
  requestAnimationFrame(() => {
    if (host.shadowRoot.activeElement === container) focusPanel(container);
  });
}

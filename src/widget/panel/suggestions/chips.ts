import { html, type TemplateResult } from 'lit/html.js';
import { focusPanel } from '../focus-panel.ts';
import type { PanelReach } from '../panel-reach.ts';

/** Messages that the visitor can send with one click. */
export function chips(label: string, texts: readonly string[], panel: PanelReach): TemplateResult {
  return html`<div part="suggestions" role="group" aria-label=${label}>
    ${texts.map((text) => {
      const onClick = (): void => {
        panel.host.element.send(text);
        // The clicked button disappears.
        focusPanel(panel.container);
      };
      return html`<button type="button" part="suggestion" dir="auto" @click=${onClick}>${text}</button>`;
    })}
  </div>`;
}

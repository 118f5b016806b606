import { html, type TemplateResult } from 'lit/html.js';

/** Messages that the visitor can send with one click. */
export function chips(label: string, texts: readonly string[], send: (text: string) => void): TemplateResult {
  return html`<div part="suggestions" role="group" aria-label=${label}>
    ${texts.map((text) => {
      const onClick = (): void => {
        send(text);
      };
      return html`<button type="button" part="suggestion" dir="auto" @click=${onClick}>${text}</button>`;
    })}
  </div>`;
}

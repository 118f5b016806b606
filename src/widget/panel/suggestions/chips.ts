import { html, type TemplateResult } from 'lit/html.js';

/** What the visitor may say with one click. */
export function chips(label: string, texts: readonly string[], say: (text: string) => void): TemplateResult {
  return html`<div part="suggestions" role="group" aria-label=${label}>
    ${texts.map((text) => {
      const onClick = (): void => {
        say(text);
      };
      return html`<button type="button" part="suggestion" dir="auto" @click=${onClick}>${text}</button>`;
    })}
  </div>`;
}

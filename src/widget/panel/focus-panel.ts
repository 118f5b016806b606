/**
 * Focuses the gate or the composer, whichever is shown. On touch screens it focuses the panel instead, so that the
 * on-screen keyboard does not cover the chat.
 */
export function focusPanel(panel: HTMLElement): void {
  const fields = panel.querySelectorAll<HTMLElement>('.consent, input, select, textarea');
  const input = [...fields].find((field) => field.checkVisibility());
  const target = matchMedia('(pointer: coarse)').matches ? panel : (input ?? panel);
  target.focus({ preventScroll: true });
}

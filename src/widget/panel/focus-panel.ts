/**
 * Moves the focus to where a person who opened the chat continues: into the composer or the gate before it, or to the
 * panel where an on-screen keyboard would cover the chat before anything was read.
 */
export function focusPanel(panel: HTMLElement): void {
  const fields = panel.querySelectorAll<HTMLElement>('.consent, input, select, textarea');
  const input = [...fields].find((field) => field.checkVisibility());
  const target = matchMedia('(pointer: coarse)').matches ? panel : (input ?? panel);
  target.focus({ preventScroll: true });
}

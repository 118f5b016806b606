/**
 * Puts the focus where a person who opened the chat goes on: into the composer or what stands before it, or on the
 * panel where a keyboard on the screen would cover the chat before anything was read.
 */
export function focusPanel(panel: HTMLElement): void {
  const fields = panel.querySelectorAll<HTMLElement>('.consent, input, select, textarea');
  const input = [...fields].find((field) => field.checkVisibility());
  const target = matchMedia('(pointer: coarse)').matches ? panel : (input ?? panel);
  target.focus({ preventScroll: true });
}

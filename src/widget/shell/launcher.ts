export interface Launcher {
  readonly button: HTMLButtonElement;
  /** Shows a label beside the icon (two lines at most), or the icon alone. */
  setLabel: (label: string | null, sublabel: string | null) => void;
}

/** The button that opens the chat. A site may put its own content into its `launcher` slot. */
export function createLauncher(): Launcher {
  const make = <Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] =>
    document.createElement(name);
  const button = make('button');
  const slot = make('slot');
  const text = make('b');
  const sub = make('small');
  button.type = 'button';
  button.part.value = 'launcher';
  button.ariaHasPopup = 'dialog';
  slot.name = 'launcher';
  // The icon is a shape that the style sheet cuts out: no image, and no markup that Trusted Types would refuse.
  slot.append(make('i'), text);
  button.append(slot);
  return {
    button,
    setLabel(label, sublabel) {
      sub.textContent = sublabel;
      text.replaceChildren(label ?? '', sub);
      text.hidden = !label && !sublabel;
    },
  };
}

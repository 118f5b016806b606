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
  const text = make('span');
  const main = make('b');
  const sub = make('small');
  button.part = 'launcher';
  button.ariaHasPopup = 'dialog';
  slot.name = 'launcher';
  // The style sheet draws the icon: no image, and no markup that Trusted Types would refuse.
  slot.append(make('i'), text);
  text.append(main, sub);
  button.append(slot);
  return {
    button,
    setLabel(label, sublabel) {
      main.textContent = label;
      sub.textContent = sublabel;
      text.hidden = !label && !sublabel;
    },
  };
}

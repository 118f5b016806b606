const svg = 'http://www.w3.org/2000/svg';

/** Built node by node: pages with Trusted Types refuse markup. */
function icon(path: string): SVGSVGElement {
  const icon = document.createElementNS(svg, 'svg');
  const shape = document.createElementNS(svg, 'path');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  shape.setAttribute('d', path);
  icon.append(shape);
  return icon;
}

export interface Launcher {
  readonly button: HTMLButtonElement;
  /** Shows a label beside the icon (two lines at most), or the icon alone, named "Chat". */
  setLabel: (label: string | null, sublabel: string | null) => void;
}

/** The button that opens the chat. A site may put its own content into its `launcher` slot. */
export function createLauncher(): Launcher {
  const make = <Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] =>
    document.createElement(name);
  const button = make('button');
  const slot = make('slot');
  const text = make('b');
  const main = make('span');
  const sub = make('small');
  button.type = 'button';
  button.setAttribute('part', 'launcher');
  button.setAttribute('aria-haspopup', 'dialog');
  slot.name = 'launcher';
  text.append(main, sub);
  slot.append(
    icon('M12 4c-5 0-9 3-9 7 0 2 1 4 3 5l-1 5 5-3h2c5 0 9-3 9-7s-4-7-9-7Z'),
    icon('m6 9 6 6 6-6'),
    text,
  );
  button.append(slot);
  const name = (): void => {
    // Whatever text shows is the name.
    button.ariaLabel = text.hidden && slot.assignedNodes().length === 0 ? 'Chat' : null;
  };
  slot.addEventListener('slotchange', name);
  return {
    button,
    setLabel(label, sublabel) {
      main.textContent = label;
      sub.textContent = sublabel;
      text.hidden = !label && !sublabel;
      name();
    },
  };
}

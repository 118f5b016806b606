/**
 * The number of unread messages on the launcher, and in its name. `reduce` counts them. `Conversation` decides how
 * long a closed chat waits for messages of a person.
 */
export class UnreadBadge {
  readonly #launcher: HTMLButtonElement;
  readonly #badge = document.createElement('span');

  constructor(launcher: HTMLButtonElement) {
    this.#launcher = launcher;
    this.#badge.className = 'badge';
    this.#badge.ariaHidden = 'true';
    this.#badge.part.add('badge');
  }

  /**
   * @param count 0 removes the badge
   * @param label the count in words
   */
  show(count: number, label: string): void {
    const launcher = this.#launcher;
    const badge = this.#badge;
    if (count === 0) {
      if (badge.parentNode === null) return;
      launcher.ariaLabel = null;
      badge.remove();
      return;
    }
    const text = count > 99 ? '99+' : String(count);
    const name = [nameOf(launcher), label].join(', ');
    if (badge.isConnected && badge.textContent === text && launcher.ariaLabel === name) return;
    badge.textContent = text;
    launcher.ariaLabel = name;
    launcher.append(badge);
  }
}

/** The accessible name of the launcher without its badge: its text, else its title. */
function nameOf(launcher: HTMLButtonElement): string {
  const slot = launcher.querySelector('slot');
  const assigned = slot?.assignedNodes().map(({ textContent }) => textContent) ?? [];
  const own = [...launcher.querySelectorAll<HTMLElement>('b, small')].map(({ innerText }) => innerText);
  const name = (assigned.length > 0 ? assigned : own).join(' ').replace(/\s+/g, ' ').trim();
  return name || launcher.title;
}

import type { Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { PanelHost } from './panel-host.ts';

/**
 * Sets the panel's role, language and direction, and the launcher's name in that language. While the texts load, those
 * that the shell has set stay.
 */
export function describePanel(
  { launcher, root }: PanelHost,
  container: HTMLElement,
  { direction, isInline }: ChatOptions,
  locale: Locale | undefined,
): void {
  container.role = isInline ? 'region' : 'dialog';
  if (!locale) return;
  root.dir = direction ?? locale.direction;
  root.lang = locale.language;
  launcher.title = locale.texts.chat;
}

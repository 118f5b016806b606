import type { Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { PanelHost } from './panel-host.ts';

/** Sets the panel's role, language and direction, and the launcher's name in that language. */
export function describePanel(
  { launcher, root }: PanelHost,
  container: HTMLElement,
  { direction, isInline }: ChatOptions,
  locale: Locale | undefined,
): void {
  root.dir = direction ?? locale?.direction ?? '';
  root.lang = locale?.language ?? '';
  if (locale) launcher.title = locale.texts.chat;
  container.role = isInline ? 'region' : 'dialog';
}

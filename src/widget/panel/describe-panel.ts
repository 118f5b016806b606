import type { Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { PanelHost } from './panel-host.ts';

/** Says of the panel what it is, and which language and direction it has; and has its launcher speak that language. */
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

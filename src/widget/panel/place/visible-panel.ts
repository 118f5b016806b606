import type { Locale } from '../../texts/texts.ts';
import type { VisitStorage } from '../../conversation/storage/visit-storage.ts';

/** A visible panel, and everything that its position depends on. */
export interface VisiblePanel {
  /** Has the custom properties that the style sheet reads, and the corner as data attributes. */
  readonly root: HTMLElement;
  readonly panel: HTMLElement;
  readonly storage: VisitStorage;
  /** The storage key of the size, stored as CSS declarations. */
  readonly key: string;
  readonly locale: () => Locale | undefined;
}

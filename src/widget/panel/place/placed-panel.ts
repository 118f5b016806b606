import type { Locale } from '../../texts/texts.ts';
import type { VisitStorage } from '../visit-storage.ts';

/** A panel that shows, and what its place depends on. */
export interface PlacedPanel {
  /** Wears the properties that the style sheet reads, and says in which corner everything stands. */
  readonly root: HTMLElement;
  readonly panel: HTMLElement;
  readonly storage: VisitStorage;
  /** Where the storage keeps the size, as the text of a style. */
  readonly key: string;
  readonly locale: () => Locale | undefined;
}

import type { Gate } from './gate.ts';
import type { LateParts } from './late-parts.ts';
import type { PanelHost } from './panel-host.ts';
import type { PanelModel } from './panel-model.ts';
import type { VisitStorage } from './visit-storage.ts';

/** What late parts that act on their own may reach. */
export interface PanelReach {
  readonly host: PanelHost;
  readonly container: HTMLElement;
  readonly late: LateParts;
  readonly draw: () => void;
  readonly storage: VisitStorage;
  readonly gate: Gate;
  /** What the panel would draw now. */
  model(): PanelModel;
}

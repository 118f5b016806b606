import type { Announcer } from './announcer.ts';
import type { Gate } from './gate/gate.ts';
import type { LazyModules } from './parts/lazy-modules.ts';
import type { PanelHost } from './panel-host.ts';
import type { PanelModel } from './panel-model.ts';
import type { VisitStorage } from './visit-storage.ts';

/** The parts of the panel that its features may use. */
export interface PanelReach {
  readonly host: PanelHost;
  readonly container: HTMLElement;
  readonly modules: LazyModules;
  readonly draw: () => void;
  readonly storage: VisitStorage;
  readonly announcer: Announcer;
  /** What stands before the conversation, once it has come. */
  readonly gate: Gate | undefined;
  /** Whether something stands before the conversation: nothing of it may be opened or sent. */
  readonly isClosed: boolean;
  /** What the panel would draw now. */
  model(): PanelModel;
}

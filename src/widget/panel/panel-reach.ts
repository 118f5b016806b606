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
  /** Consent or form before the conversation, once loaded. */
  readonly gate: Gate | undefined;
  /** Whether a gate is closed: no conversation may be opened and nothing sent. */
  readonly isClosed: boolean;
  /** The values to draw now. */
  model(): PanelModel;
}

import type { Conversation } from '../conversation/conversation.ts';
import type { Locale } from '../texts/texts.ts';
import type { AddOns } from './add-ons.ts';
import type { Announcer } from './announcer.ts';
import type { Gate } from './gate/gate.ts';
import type { MarkdownRenderer } from './markdown/markdown.ts';
import type { ChatOptions } from './options.ts';
import type { PanelActions } from './panel-actions.ts';
import type { PanelHost } from './panel-host.ts';
import type { LazyModules } from './modules/lazy-modules.ts';
import type { LogController } from './message-log/log-controller.ts';
import type { ScrollFollow } from './scroll-follow.ts';
import type { VisitStorage } from '../conversation/storage/visit-storage.ts';

/**
 * The panel as its features see it: its elements, modules and current state. View functions take only the values that
 * they render instead.
 */
export interface PanelContext {
  readonly host: PanelHost;
  readonly container: HTMLElement;
  readonly modules: LazyModules;
  readonly storage: VisitStorage;
  readonly announcer: Announcer;
  readonly scroll: ScrollFollow;
  readonly addOns: AddOns;
  readonly actions: PanelActions;
  /** Schedules a render in the next frame. */
  readonly requestRender: () => void;
  /** Replaced when the site sets another assistant. */
  readonly conversation: Conversation;
  readonly options: ChatOptions;
  /** Undefined until the first texts have loaded. */
  readonly locale: Locale | undefined;
  /** Undefined until the messaging module has loaded. */
  readonly logController: LogController | undefined;
  /** Undefined until the Markdown module has loaded. */
  readonly markdown: MarkdownRenderer | undefined;
  /** Consent or form before the conversation, once loaded. */
  readonly gate: Gate | undefined;
  /** Whether a gate is closed: no conversation may be opened and nothing sent. */
  readonly isGateClosed: boolean;
}

import type { TemplateResult } from 'lit/html.js';
import type { Message, Snapshot } from '../conversation/snapshot.ts';
import type { Locale } from '../texts/texts.ts';
import type { AddOnReach } from './add-on.ts';
import type { AddOns } from './add-ons.ts';
import type { LazyModules } from './parts/lazy-modules.ts';
import type { ChatOptions } from './options.ts';

/** What a visitor may ask for. Templates send these up and draw what comes down. */
export interface PanelActions {
  readonly close: () => void;
  readonly restart: () => void;
  readonly startOver: () => void;
  readonly retry: (key?: string) => void;
  readonly setDraft: (text: string) => void;
  /** Sends the draft. */
  readonly submit: () => void;
  /** Sends the draft; without one, ends the reply under way. */
  readonly submitOrStop: () => void;
  /** Puts a message that was not sent back into the composer. */
  readonly edit: (key: string) => void;
  /** The visitor has seen all that there is. */
  readonly markRead: () => void;
  /** A person comes near the menu's button, or presses it. */
  readonly menu: (event: Event) => void;
}

/** Draws an answer's Markdown; loaded with the first answer that has any. */
export type MarkdownRenderer = (message: Message, isLast?: boolean) => TemplateResult;

/** What stands around a message once the part for reading is there. */
export interface MessageDetails {
  /** A day, or the mark of what is new. */
  readonly above: unknown;
  /** Classes of its list item. */
  readonly className: string;
  /** Names it: author and time. */
  readonly label: string;
  /** What the assistant used, and what can be done with the message. */
  readonly below: unknown;
}

/** What the part for reading gives the panel. */
export interface PanelReading {
  /** Call before a drawing. Gives what stands above the messages: what was said before them, or the way to it. */
  readonly begin: (model: PanelModel) => unknown;
  /** Whether the reader is or was near a page. */
  readonly isNear: (page: number) => boolean;
  /** All that the details of these messages depend on, beside the messages. */
  readonly basisOf: (messages: readonly Message[], from: number) => readonly unknown[];
  /** The same object for as long as nothing changes. */
  readonly detailsOf: (model: PanelModel, messages: readonly Message[], index: number) => MessageDetails;
  /** The way back to the end of the log. */
  readonly latest: (model: PanelModel) => unknown;
}

/** All that the panel draws at one moment. */
export interface PanelModel {
  readonly panel: AddOnReach;
  readonly options: ChatOptions;
  readonly locale: Locale;
  readonly snapshot: Snapshot;
  readonly draft: string;
  /** Milliseconds since 1970, for countdowns. */
  readonly now: number;
  readonly markdown: MarkdownRenderer | undefined;
  readonly modules: LazyModules;
  readonly reading: PanelReading | undefined;
  readonly addOns: AddOns | undefined;
  /** How many pages of messages are drawn, counted from the end: a long history comes piece by piece. */
  readonly pages: number;
  readonly actions: PanelActions;
}

/** What the panel calls the assistant. */
export function headingOf({ options, locale }: PanelModel): string {
  return options.heading ?? locale.texts.chat;
}

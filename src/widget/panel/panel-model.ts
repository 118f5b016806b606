import type { TemplateResult } from 'lit/html.js';
import type { Message, Snapshot } from '../conversation/snapshot.ts';
import type { Locale } from '../texts/texts.ts';
import type { AddOnReach } from './add-on.ts';
import type { AddOns } from './add-ons.ts';
import type { LazyModules } from './parts/lazy-modules.ts';
import type { ChatOptions } from './options.ts';

/** The visitor's actions, called by templates. */
export interface PanelActions {
  readonly close: () => void;
  readonly restart: () => void;
  readonly startOver: () => void;
  readonly retry: (key?: string) => void;
  readonly setDraft: (text: string) => void;
  /** Sends the draft. */
  readonly submit: () => void;
  /** Sends the draft; if it is empty, stops the reply in progress. */
  readonly submitOrStop: () => void;
  /** Moves an unsent message back into the composer. */
  readonly edit: (key: string) => void;
  /** Marks all messages as read. */
  readonly markRead: () => void;
  /** Handles pointer, focus and clicks on the menu's button. */
  readonly menu: (event: Event) => void;
}

/** Renders an answer as Markdown; loaded with the first answer that contains any. */
export type MarkdownRenderer = (message: Message, isLast?: boolean) => TemplateResult;

/** Content around a message, once the talk module has loaded. */
export interface MessageDetails {
  /** A divider with the day, or the "new messages" marker. */
  readonly above: unknown;
  /** Classes of its list item. */
  readonly className: string;
  /** Its accessible name: author and time. */
  readonly label: string;
  /** The functions that the assistant called, and the message's actions. */
  readonly below: unknown;
}

/** The talk module's part in rendering the message log. */
export interface PanelReading {
  /** Call before each render. Returns the content above the messages: earlier messages, or the button that loads them. */
  readonly begin: (model: PanelModel) => unknown;
  /** Whether a page of messages is or was near the viewport. */
  readonly isNear: (page: number) => boolean;
  /** Everything that the details of these messages depend on, besides the messages. */
  readonly basisOf: (messages: readonly Message[], from: number) => readonly unknown[];
  /** Returns the same object as long as nothing changes. */
  readonly detailsOf: (model: PanelModel, messages: readonly Message[], index: number) => MessageDetails;
  /** The button that scrolls to the latest message. */
  readonly latest: (model: PanelModel) => unknown;
}

/** All values that the panel renders at one moment. */
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
  /** How many pages of messages are rendered, counted from the end: a long history is rendered in steps. */
  readonly pages: number;
  readonly actions: PanelActions;
}

/** The title of the panel. */
export function headingOf({ options, locale }: PanelModel): string {
  return options.heading ?? locale.texts.chat;
}

import type { TemplateResult } from 'lit/html.js';
import type { Message, Snapshot } from '../state/snapshot.ts';
import type { Locale } from '../texts/texts.ts';
import type { LateParts } from './late-parts.ts';
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
  readonly toggleInspector: () => void;
}

/** Draws an answer's Markdown; loaded with the first answer that has any. */
export type MarkdownRenderer = (message: Message) => TemplateResult;

/** All that the panel draws at one moment. */
export interface PanelModel {
  readonly options: ChatOptions;
  readonly locale: Locale;
  readonly snapshot: Snapshot;
  readonly draft: string;
  /** Milliseconds since 1970, for countdowns. */
  readonly now: number;
  readonly isInspecting: boolean;
  readonly markdown: MarkdownRenderer | undefined;
  readonly late: LateParts;
  readonly actions: PanelActions;
}

/** What the panel calls the assistant. */
export function headingOf({ options, locale }: PanelModel): string {
  return options.heading ?? locale.texts.chat;
}

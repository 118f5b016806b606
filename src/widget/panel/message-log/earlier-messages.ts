import { html, nothing, type TemplateResult } from 'lit/html.js';
import {
  earlierPagesOf,
  type EarlierPage,
  type EarlierPages,
} from '../../conversation/history/earlier-pages.ts';
import type { Message, Snapshot } from '../../conversation/snapshot.ts';
import { range } from '../range.ts';
import { isMarkdown, messagePage, pageSize, type LogValues } from '../message-log.ts';
import type { PanelContext } from '../panel-context.ts';
import type { Texts } from '../../texts/texts.ts';
import { ScrollAnchor } from './scroll-anchor.ts';

/** Number of pages of the log whose Markdown is rendered in one frame. */
const pagesPerFrame = 4;

/** The scroll anchor of each log. */
const anchors = new WeakMap<Element, ScrollAnchor>();

/** How many pages of the log are rendered as Markdown, latest first. */
const rendered = new WeakMap<EarlierPage, number>();

/** The earlier messages that the visitor has loaded, and the button that loads more. */
export function earlierMessages(panel: PanelContext, values: LogValues): unknown {
  const earlier = earlierPagesOf(panel.conversation.snapshot);
  return earlier ? earlierPages(panel, values, earlier, 0) : nothing;
}

/** Each page's template contains the earlier pages, so that adding one leaves the others unchanged. */
function earlierPages(panel: PanelContext, values: LogValues, earlier: EarlierPages, index: number): unknown {
  const page = earlier.pages[index];
  if (index < earlier.shown && page)
    return html`${earlierPages(panel, values, earlier, index + 1)}${logPages(panel, values, page)}`;
  return earlier.hasMore
    ? moreButton(earlier, values.locale.texts, () => void showMore(panel, earlier))
    : nothing;
}

/** The last of the loaded earlier messages. */
export function lastEarlier(snapshot: Snapshot): Message | undefined {
  const earlier = earlierPagesOf(snapshot);
  return earlier?.shown ? earlier.pages[0]?.messages.at(-1) : undefined;
}

/** Returns an earlier message's index relative to the snapshot: -1 for the last message before it. */
export function earlierIndex(snapshot: Snapshot, message: Message): number {
  const all = earlierPagesOf(snapshot)?.pages.flatMap(({ messages }) => [...messages].reverse()) ?? [];
  return -1 - all.indexOf(message);
}

/** Loads all messages of the conversation. `isAll` is false if some could not be loaded. */
export async function allMessages({
  conversation: { environment, snapshot },
  modules,
}: PanelContext): Promise<[messages: readonly Message[], isAll: boolean]> {
  const earlier = earlierPagesOf(snapshot);
  const isAll = (await earlier?.fetchAll(environment.client, snapshot.conversationId as string)) ?? true;
  const pages = [...(earlier?.pages ?? [])].reverse();
  const messages = [...pages.flatMap((page) => page.messages), ...snapshot.messages];
  if (messages.some(isMarkdown)) await modules.load('markdown');
  return [messages, isAll];
}

/** The button that loads earlier messages. */
function moreButton(
  { isLoading, hasFailed }: EarlierPages,
  texts: Texts,
  onClick: () => void,
): TemplateResult {
  return html`<ol role="none" class="page">
    <li role="listitem" class="earlier">
      <button type="button" part="earlier-button" aria-disabled=${isLoading} @click=${onClick}>
        ${isLoading ? texts.connecting : texts.earlier}
      </button>
      ${hasFailed && !isLoading ? html`<small role="alert">${texts.network}</small>` : nothing}
    </li>
  </ol>`;
}

async function showMore(panel: PanelContext, earlier: EarlierPages): Promise<void> {
  const { requestRender, container, modules } = panel;
  const { environment, snapshot } = panel.conversation;
  if (earlier.isLoading) return;
  if (earlier.shown === earlier.pages.length) {
    const fetched = earlier.fetchNext(environment.client, snapshot.conversationId as string);
    requestRender();
    await fetched;
  }
  const log = container.querySelector('[role="log"]');
  const page = earlier.pages[earlier.shown];
  // The request failed, or the visitor has left the conversation meanwhile.
  if (!log || !page || panel.conversation.snapshot.earlier !== snapshot.earlier) {
    requestRender();
    return;
  }
  if (page.messages.some(isMarkdown)) await modules.load('markdown');
  // A second click has shown the page meanwhile.
  if (earlier.pages[earlier.shown] !== page) return;
  const anchor = anchors.get(log) ?? new ScrollAnchor(log);
  anchors.set(log, anchor);
  anchor.capture();
  const first = log.querySelector<HTMLElement>('article:not([hidden])');
  const hadFocus = log.querySelector('.earlier :focus') !== null;
  earlier.shown++;
  for (
    let done = pagesPerFrame;
    (done - pagesPerFrame) * pageSize < page.messages.length;
    done += pagesPerFrame
  ) {
    rendered.set(page, done);
    requestRender();
    // After the render of that frame.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (done > pagesPerFrame) continue;
    anchor.restore();
    // The focused button has moved away, so arrow keys continue from here.
    if (hadFocus) first?.focus({ preventScroll: true });
  }
}

function logPages({ logController }: PanelContext, values: LogValues, page: EarlierPage): TemplateResult[] {
  const { messages } = page;
  const count = Math.ceil(messages.length / pageSize);
  return range(count).map((at) => {
    const hasMarkdown = at >= count - (rendered.get(page) ?? 0);
    return messagePage(
      messages,
      at * pageSize,
      logController,
      hasMarkdown ? values : { ...values, markdown: undefined },
    );
  });
}

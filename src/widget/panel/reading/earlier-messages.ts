import { html, nothing, type TemplateResult } from 'lit/html.js';
import { ConversationClient } from '../../../client/conversation-client.ts';
import {
  earlierPagesOf,
  type EarlierPage,
  type EarlierPages,
} from '../../conversation/history/earlier-pages.ts';
import type { Message, Snapshot } from '../../conversation/snapshot.ts';
import { isMarkdown, logPage, pageSize } from '../message-log.ts';
import type { PanelModel } from '../panel-model.ts';
import { KeepPlace } from './keep-place.ts';

/** Pages of the log whose Markdown is rendered in one frame. */
const atOnce = 4;

/** Keeps the scroll position of each log. */
const places = new WeakMap<Element, KeepPlace>();

/** How many pages of the log are rendered as Markdown, latest first. */
const drawn = new WeakMap<EarlierPage, number>();

/** The earlier messages that the visitor has loaded, and the button that loads more. */
export function earlierMessages(model: PanelModel): unknown {
  const earlier = earlierPagesOf(model.snapshot);
  return earlier ? from(model, earlier, 0) : nothing;
}

/** Each page contains those before it, so that adding one leaves the others unchanged. */
function from(model: PanelModel, earlier: EarlierPages, index: number): unknown {
  const page = earlier.pages[index];
  if (index < earlier.shown && page) return html`${from(model, earlier, index + 1)}${logPages(model, page)}`;
  return earlier.hasMore ? more(model, earlier) : nothing;
}

/** The last of the loaded earlier messages. */
export function lastEarlier({ snapshot }: PanelModel): Message | undefined {
  const earlier = earlierPagesOf(snapshot);
  return earlier?.shown ? earlier.pages[0]?.messages.at(-1) : undefined;
}

/** An earlier message's index relative to the snapshot: the last one before it is -1. */
export function placeBefore(snapshot: Snapshot, message: Message): number {
  const all = earlierPagesOf(snapshot)?.pages.flatMap(({ messages }) => [...messages].reverse()) ?? [];
  return -1 - all.indexOf(message);
}

/** The model with the whole conversation, and whether the service gave all of it. */
export async function withEarlier(model: PanelModel): Promise<[whole: PanelModel, isAll: boolean]> {
  const { snapshot } = model;
  const earlier = earlierPagesOf(snapshot);
  const isAll = (await earlier?.fetchAll(clientOf(model), snapshot.conversationId as string)) ?? true;
  const pages = [...(earlier?.pages ?? [])].reverse();
  const messages = [...pages.flatMap((page) => page.messages), ...snapshot.messages];
  if (messages.some(isMarkdown)) await model.modules.load('markdown');
  return [{ ...model, snapshot: { ...snapshot, messages } }, isAll];
}

function more(model: PanelModel, earlier: EarlierPages): TemplateResult {
  const { texts } = model.locale;
  const { isLoading, hasFailed } = earlier;
  const onClick = (): void => void showMore(model, earlier);
  return html`<ol role="none" class="page">
    <li role="listitem" class="earlier">
      <button type="button" part="earlier-button" aria-disabled=${isLoading} @click=${onClick}>
        ${isLoading ? texts.connecting : model.locale.texts.earlier}
      </button>
      ${hasFailed && !isLoading ? html`<small role="alert">${texts.network}</small>` : nothing}
    </li>
  </ol>`;
}

async function showMore(model: PanelModel, earlier: EarlierPages): Promise<void> {
  const { snapshot, panel, modules } = model;
  const { draw, container } = panel;
  if (earlier.isLoading) return;
  if (earlier.shown === earlier.pages.length) {
    const fetched = earlier.fetchNext(clientOf(model), snapshot.conversationId as string);
    draw();
    await fetched;
  }
  const log = container.querySelector('[role="log"]');
  const page = earlier.pages[earlier.shown];
  // The request failed, or the visitor has left the conversation meanwhile.
  if (!log || !page || panel.model().snapshot.earlier !== snapshot.earlier) {
    draw();
    return;
  }
  if (page.messages.some(isMarkdown)) await modules.load('markdown');
  const place = places.get(log) ?? new KeepPlace(log);
  places.set(log, place);
  place.take();
  const first = log.querySelector('article');
  const hadFocus = log.querySelector('.earlier :focus') !== null;
  earlier.shown++;
  for (let done = atOnce; (done - atOnce) * pageSize < page.messages.length; done += atOnce) {
    drawn.set(page, done);
    draw();
    // After the render of that frame.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (done > atOnce) continue;
    place.restore();
    // The button has moved away; arrow keys continue from here.
    if (hadFocus) first?.focus({ preventScroll: true });
  }
}

function logPages(model: PanelModel, page: EarlierPage): TemplateResult[] {
  const { messages } = page;
  const count = Math.ceil(messages.length / pageSize);
  return Array.from({ length: count }, (_, at) => {
    const isDrawn = at >= count - (drawn.get(page) ?? 0);
    return logPage(model, messages, at * pageSize, isDrawn ? model.markdown : undefined);
  });
}

function clientOf({ options: { baseUrl } }: PanelModel): ConversationClient {
  return new ConversationClient({ baseUrl });
}

import type { Context } from 'hono';
import type { Logger } from 'pino';
import { errorTexts } from '../../contract/error-texts.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { TooManyStreamsError } from '../conversation/conversation-events.ts';
import type {
  ConversationEvent,
  ConversationEvents,
  Cursor,
  EventStream,
} from '../conversation/conversation-events.ts';
import { requireUuid } from '../lib/uuid.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';
import { eventStream } from './event-stream.ts';
import type { ServerSentEvent } from './event-stream.ts';

/** Maximum duration of a stream in milliseconds; the client then reconnects. */
const maxDurationMs = 1_800_000;

/** `Retry-After` in seconds if too many streams are open. */
const retryAfter = 30;

/** Streams the events of a conversation (our addition: `GET /conversations/{uuid}/events`). */
export async function streamEvents(
  c: Context,
  events: ConversationEvents,
  { visitor, keepAliveMs, log }: { visitor: VisitorAddresses | undefined; keepAliveMs: number; log: Logger },
): Promise<Response> {
  const uuid = requireUuid(c.req.param('uuid') ?? '');
  // A client that reconnects repeats the URL, so the header is newer.
  const cursor = readCursor(c.req.header('Last-Event-ID') ?? c.req.query('after'));
  let stream: EventStream | undefined;
  try {
    stream = await events.open(uuid, { cursor, visitor });
  } catch (error) {
    if (!(error instanceof TooManyStreamsError)) throw error;
    c.header('Retry-After', String(retryAfter));
    return c.json({ message: errorTexts['too-many-requests'], retry_after: retryAfter }, 429);
  }
  // An `EventSource` reconnects after each end of a stream, until this status.
  if (!stream) return c.body(null, 204);
  if (c.req.method === 'HEAD') {
    // Nobody would read the stream, so it would keep its place until it counts as lost.
    stream.close();
    return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
  }
  const lifetime = setTimeout(stream.close, maxDurationMs);
  return eventStream(
    c,
    keepAliveMs,
    async (send) => {
      try {
        for await (const event of stream.events) if (!(await send(toServerSentEvent(event)))) return;
      } catch (error) {
        // The client reconnects and resumes.
        log.warn({ err: error }, 'an event stream failed');
      }
    },
    () => {
      clearTimeout(lifetime);
      stream.close();
    },
  );
}

/** @throws ConversationError if the text is not a cursor. */
function readCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined || text === '') return undefined;
  // 15 digits are always a safe integer.
  const [, after, end] = /^(\d{1,15})(-ended)?$/.exec(text) ?? [];
  if (after !== undefined) return { after: Number(after), isEnd: end !== undefined };
  throw new ConversationError('invalid-request', 'after is not a cursor of this conversation');
}

function toServerSentEvent(event: ConversationEvent): ServerSentEvent {
  switch (event.type) {
    case 'message': {
      const { id, entry, inReplyTo } = event.added;
      const reply = inReplyTo === null ? {} : { in_reply_to: String(inReplyTo) };
      return { event: 'message', id: String(id), data: { ...entry, id: String(id), ...reply } };
    }
    case 'handoff':
      return { event: 'handoff', data: { ai_enabled: event.aiEnabled } };
    case 'ended':
      return { event: 'ended', id: `${event.latest}-ended`, data: {} };
  }
}

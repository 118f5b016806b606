import { Hono } from 'hono';
import { RETAINED_304_HEADERS, etag } from 'hono/etag';
import { readAssistantWidget } from '../assistant/read-assistant-widget.ts';
import type { SupportsCalls } from '../assistant/read-assistant-widget.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Database } from '../db/database.ts';
import { isUuid } from '../lib/uuid.ts';

/** Cache lifetime in seconds. Short, so that changes of the settings appear soon. */
const maxAge = 60;

/** Headers of a 304 response. */
const retainedHeaders = [
  ...RETAINED_304_HEADERS,
  'access-control-allow-origin',
  'access-control-expose-headers',
];

/** Public routes of assistants (our addition: `GET /assistants/{uuid}/widget`). */
export function assistantWidgetRoutes({ db }: Database, supportsCalls: SupportsCalls): Hono {
  const routes = new Hono();
  routes.get('/:uuid/widget', etag({ retainedHeaders }), async (c) => {
    const uuid = c.req.param('uuid');
    const data = isUuid(uuid) ? await readAssistantWidget(db, uuid, supportsCalls) : undefined;
    if (!data) throw ConversationError.assistantNotFound();
    c.header('Cache-Control', `public, max-age=${maxAge}`);
    return c.json({ status: true, data });
  });
  return routes;
}

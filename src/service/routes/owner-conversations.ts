import { Hono } from 'hono';
import type { Context } from 'hono';
import { listConversations, WriteMessageRequest } from '../../contract/conversation.ts';
import { listConversations as findConversations } from '../conversation/list-conversations.ts';
import { setAiEnabled, writeAsPerson } from '../conversation/human-handoff.ts';
import type { OwnedConversation } from '../conversation/human-handoff.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { paginateByCursor, readCursor } from '../http/paginate.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { readJsonBody } from '../http/read-request.ts';
import { idInPath, runAuditedChange, unchanged } from '../http/run-audited-change.ts';
import { requireUuid } from '../lib/uuid.ts';

const ownedBy = (c: Context<Authenticated>): OwnedConversation => ({
  uuid: requireUuid(c.req.param('uuid') ?? ''),
  userId: c.get('user').id,
});

/** Human handoff: `POST /automate/conversations/{uuid}/disable-ai` and `.../enable-ai`. */
export function automateRoutes(): Hono<Authenticated> {
  const routes = new Hono<Authenticated>();
  for (const [action, enabled] of [
    ['disable-ai', false],
    ['enable-ai', true],
  ] as const) {
    routes.post(`/conversations/:uuid/${action}`, async (c) => {
      await runAuditedChange(
        c,
        (database) => setAiEnabled(database, ownedBy(c), enabled),
        (isChanged) => (isChanged ? idInPath(c) : unchanged),
      );
      return c.json({ status: true, ai_enabled: enabled });
    });
  }
  return routes;
}

/** Default page size. */
const pageSize = 15;

/**
 * The list of conversations, and messages of a person to a visitor (our addition: `POST
 * /user/conversations/{uuid}/messages`). Mount it behind authentication.
 */
export function ownerConversationRoutes(routes: Hono<Authenticated>, database: Database): void {
  mountOperation(routes, listConversations, async ({ c, userId, query }) => {
    const [cursor, size] = [readCursor(query.cursor), query.per_page ?? pageSize];
    const page = await findConversations(database, userId, query, { cursor, size });
    return paginateByCursor(c, cursor, size, page);
  });
  routes.post('/conversations/:uuid/messages', async (c) => {
    const owned = ownedBy(c);
    const { message, author } = await readJsonBody(c, WriteMessageRequest);
    const name = author?.toWellFormed().trim();
    const written = { content: message.toWellFormed(), ...(name && { author: name }) };
    await runAuditedChange(c, (database) => writeAsPerson(database, owned, written));
    return c.json({ status: true });
  });
}

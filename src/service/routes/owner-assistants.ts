import type { Hono } from 'hono';
import { operations } from '../../contract/operations.ts';
import { deleteAssistant, setWebhooks } from '../assistant/change-assistant.ts';
import {
  listAssignableNumbers,
  listLanguages,
  listModels,
  listProviders,
  listVoices,
} from '../assistant/catalog.ts';
import { listAllAssistants, listAssistants, listOutboundAssistants } from '../assistant/list-assistants.ts';
import {
  checkAssistantChanges,
  checkNewAssistant,
  createAssistant,
  updateAssistant,
} from '../assistant/save-assistant.ts';
import { checkTransfers } from '../assistant/check-transfers.ts';
import type { AllowedCountries } from '../lib/callable-number.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { hideUrlCredentials } from './hide-url-credentials.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { paginate } from '../http/paginate.ts';
import { createPreviewToken } from '../user-token/preview-token.ts';
import { deleteUserTokenKey, setUserTokenKey } from '../user-token/user-token-key.ts';

/** Default page size (interface: `GET /user/assistants/get`). */
const pageSize = 10;

/** The account's assistants (interface: "Assistants"). */
export function ownerAssistantRoutes(
  routes: Hono<Authenticated>,
  database: Database,
  countries: AllowedCountries,
): void {
  mountOperation(
    routes,
    operations.createAssistant,
    async ({ database, userId, body }) => ({
      message: 'Assistant created successfully.',
      data: await createAssistant(database, userId, body),
    }),
    async (fields, { userId }) => ({
      ...(await checkNewAssistant(database, userId, fields)),
      ...checkTransfers(fields.tools, countries),
    }),
  );
  mountOperation(
    routes,
    operations.updateAssistant,
    async ({ database, userId, body, id }) => ({
      message: 'Assistant updated successfully.',
      data: await updateAssistant(database, { id: id(), userId }, body),
    }),
    async (fields, { userId, id }) => ({
      ...(await checkAssistantChanges(database, { id: id(), userId }, fields)),
      ...checkTransfers(fields.tools, countries),
    }),
  );
  mountOperation(routes, operations.deleteAssistant, async ({ database, userId, id }) => {
    await deleteAssistant(database, { id: id(), userId });
    return { message: 'Assistant deleted successfully.' };
  });
  mountOperation(routes, operations.listAssistants, async ({ c, userId, query }) => {
    const page = { number: query.page ?? 1, size: query.per_page ?? pageSize };
    const { total, assistants } = await listAssistants(database, userId, page);
    return paginate(c, page, total, assistants.map(hideUrlCredentials(c)));
  });
  mountOperation(routes, operations.listAllAssistants, async ({ c, userId }) =>
    (await listAllAssistants(database, userId)).map(hideUrlCredentials(c)),
  );
  mountOperation(routes, operations.listOutboundAssistants, async ({ c, userId }) =>
    (await listOutboundAssistants(database, userId)).map(hideUrlCredentials(c)),
  );
  tokenRoutes(routes);
  webhookRoutes(routes);
  catalogRoutes(routes, database);
}

function tokenRoutes(routes: Hono<Authenticated>): void {
  mountOperation(routes, operations.createPreviewToken, ({ database, userId, id }) =>
    createPreviewToken(database, { id: id(), userId }),
  );
  mountOperation(routes, operations.createUserTokenSecret, ({ database, userId, id, body }) =>
    setUserTokenKey(database, { id: id(), userId }, body.public_key),
  );
  mountOperation(
    routes,
    operations.deleteUserTokenSecret,
    async ({ database, userId, id, markAsUnchanged }) => {
      if (!(await deleteUserTokenKey(database, { id: id(), userId }))) markAsUnchanged();
      return { message: 'User token secret deleted successfully.' };
    },
  );
}

function webhookRoutes(routes: Hono<Authenticated>): void {
  mountOperation(routes, operations.enableInboundWebhook, async ({ database, userId, body }) => {
    const owned = { id: body.assistant_id, userId };
    await setWebhooks(database, owned, { inboundWebhookUrl: body.webhook_url });
    return { message: 'Inbound webhook enabled successfully.', data: [] };
  });
  mountOperation(routes, operations.disableInboundWebhook, async ({ database, userId, body }) => {
    await setWebhooks(database, { id: body.assistant_id, userId }, { inboundWebhookUrl: null });
    return { message: 'Inbound webhook disabled successfully.', data: [] };
  });
  mountOperation(routes, operations.disableWebhook, async ({ database, userId, body }) => {
    const owned = { id: body.assistant_id, userId };
    await setWebhooks(database, owned, { isWebhookActive: false, webhookUrl: null });
    return { message: 'Webhook disabled successfully.', data: [] };
  });
  mountOperation(routes, operations.enableConversationEndedWebhook, async ({ database, userId, body }) => {
    const owned = { id: body.assistant_id, userId };
    await setWebhooks(database, owned, { conversationEndedWebhookUrl: body.webhook_url });
    return { message: 'Conversation ended webhook enabled successfully.', data: [] };
  });
  mountOperation(routes, operations.disableConversationEndedWebhook, async ({ database, userId, body }) => {
    await setWebhooks(database, { id: body.assistant_id, userId }, { conversationEndedWebhookUrl: null });
    return { message: 'Conversation ended webhook disabled successfully.', data: [] };
  });
}

function catalogRoutes(routes: Hono<Authenticated>, database: Database): void {
  mountOperation(routes, operations.listLanguages, () => listLanguages(database));
  mountOperation(routes, operations.listVoices, ({ query }) => listVoices(database, query));
  mountOperation(routes, operations.listModels, ({ query }) => listModels(database, query.type ?? 'llm'));
  mountOperation(routes, operations.listSynthesizerProviders, ({ query }) =>
    listProviders(database, 'synthesizer', query.language_id),
  );
  mountOperation(routes, operations.listTranscriberProviders, ({ query }) =>
    listProviders(database, 'transcriber', query.language_id),
  );
  mountOperation(routes, operations.listAssignableNumbers, ({ userId, query }) =>
    listAssignableNumbers(database, userId, query.type),
  );
}

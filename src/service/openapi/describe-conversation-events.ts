import { AddedMessage, Handoff } from '../../contract/conversation.ts';
import { watchConversation } from '../../contract/watch-conversation.ts';
import { describeRefusal } from './errors.ts';
import type { DocumentedOperation } from './openapi-document.ts';
import type { DocumentSchemas } from './schemas.ts';

const cursor = 'A cursor: the stream begins with the entries that were added after it.';

/** Describes the event stream of a conversation. Separate from the operations, because its response is never JSON. */
export const describeConversationEvents = (
  schemas: DocumentSchemas,
): Record<string, { get: DocumentedOperation }> => ({
  [watchConversation.path.replace(':uuid', '{uuid}')]: {
    get: {
      operationId: 'watchConversation',
      tags: ['Conversations'],
      summary:
        'Watches a conversation: an event stream of new messages, of human handoffs, and of its end. Our addition.',
      security: [],
      parameters: [
        { name: 'uuid', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        { name: 'after', in: 'query', required: false, description: cursor, schema: { type: 'string' } },
        {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description: `${cursor} Takes precedence over the query.`,
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description:
            'The events, until the conversation ends, the service restarts, or half an hour has passed.',
          content: {
            'text/event-stream': {
              schema: {
                type: 'string',
                description:
                  `Events: message (${schemas.answer('addedMessage', AddedMessage).$ref}, with its cursor as the id), ` +
                  `handoff (${schemas.answer('handoff', Handoff).$ref}; the first one has the current state), ` +
                  `ended ({}, with a cursor as the id).`,
              },
            },
          },
        },
        204: {
          description:
            'The cursor is that of `ended`, and the conversation was not resumed. Stops an `EventSource`.',
        },
        ...Object.fromEntries(
          watchConversation.statuses
            .filter((status) => status >= 400)
            .map((status) => [status, describeRefusal(watchConversation, status)]),
        ),
      },
    },
  },
});

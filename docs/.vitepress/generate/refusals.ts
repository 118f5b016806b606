import { errorTexts } from '../../../src/contract/error-texts.ts';
import { statuses } from '../../../src/service/lib/conversation-error.ts';
import { code, table } from './table.ts';

/** The body of the conversation endpoints. */
const failed = (error: string, more = '') => code(`{status: false, error: "${error}"${more}}`);
/** The body of the endpoints that require a key. */
const owners = (message: string, more = '') => code(`{message: "${message}"${more}}`);

/** Refused requests, with status and body. */
export const refusalsTable = () =>
  table(
    ['Refusal', 'Status', 'Body'],
    (
      [
        [
          'unknown or deleted assistant',
          statuses['assistant-not-found'],
          failed(errorTexts['assistant-not-found']),
        ],
        [
          'unknown conversation, or a malformed UUID',
          statuses['conversation-not-found'],
          failed(errorTexts['conversation-not-found']),
        ],
        [
          'conversation that accepts no more messages',
          statuses['conversation-ended'],
          failed(errorTexts['conversation-ended']),
        ],
        [
          'balance too low, on opening and on sending',
          statuses['insufficient-balance'],
          failed(errorTexts['insufficient-balance']),
        ],
        [
          'a daily limit of the assistant is used up',
          statuses['limit-reached'],
          `${failed(errorTexts['limit-reached'])}, with advice for tests`,
        ],
        [
          'a proof of work is required',
          statuses['proof-required'],
          failed(errorTexts['proof-required'], ', proof_of_work'),
        ],
        [
          'page of another origin',
          statuses['origin-not-allowed'],
          failed(`${errorTexts['origin-not-allowed']} <origin>`),
        ],
        [
          'no `user_token`, though the assistant requires one',
          statuses['user-token'],
          failed(errorTexts['user-token-required']),
        ],
        ['expired `user_token`', statuses['user-token'], failed(errorTexts['user-token-expired'])],
        [
          '`user_token` that is not valid, or an expired preview token',
          statuses['user-token'],
          failed(`${errorTexts['user-token-invalid']} <reason>`),
        ],
        ['the engine failed', statuses['reply-failed'], failed(`${errorTexts['engine-failed']} <reason>`)],
        [
          'invalid body',
          statuses['invalid-request'],
          `${failed('message is required')} and the like: the first error`,
        ],
        ['body too large', statuses['body-too-large'], '`{status: false, error}`'],
        [
          "another user's conversation, with an API key",
          statuses['conversation-not-found'],
          owners(errorTexts['conversation-not-found']),
        ],
        [
          'invalid cursor in `before`',
          statuses['invalid-request'],
          failed('before must be a cursor returned as earlier_cursor'),
        ],
        [
          'invalid body, with an API key',
          statuses['invalid-request'],
          '`{message, errors: {field: [text]}}`',
        ],
        ['missing or invalid API key', 401, owners(errorTexts.unauthenticated)],
        ['expired API key, or not allowed from this address', 401, '`{message}`, which says so'],
        ['API key without the scope of the operation', 403, '`{message}`, which names the scope'],
        [
          'too many messages that wait for replies',
          statuses['too-many-pending'],
          '`{message, retry_after}`, and `Retry-After`',
        ],
        [
          'too many requests',
          429,
          `${owners(errorTexts['too-many-requests'], ', retry_after')}, and \`Retry-After\`; both in seconds`,
        ],
        ['unknown path', 404, owners('Not found.')],
        ['internal error', 500, '`{status: false, error}`; with an API key `{message}`'],
        ['the service is shutting down', 503, '`{message}`, and `Retry-After`'],
      ] as const
    ).map(([what, status, body]) => [what, String(status), body]),
  );

import { clientToolLimits } from '../../../src/contract/client-tool-limits.ts';
import { limits, recordLimits, requestLimits } from '../../../src/contract/limits.ts';
import { maxPending } from '../../../src/service/conversation/accept-message.ts';
import { historyLimit } from '../../../src/service/conversation/history.ts';
import { replyLimit } from '../../../src/service/conversation/replies.ts';
import { callRounds } from '../../../src/service/engine/openai/openai-engine.ts';
import { maxDepth } from '../../../src/service/lib/json-depth.ts';
import { defaults } from '../../../src/service/outgoing/fetch-guarded.ts';
import { responseLimit } from '../../../src/service/tool/call-tool.ts';
import { table } from './table.ts';

/** Formats the numbers of a template for readers. */
const text = (parts: TemplateStringsArray, ...numbers: readonly number[]) =>
  String.raw({ raw: parts }, ...numbers.map((number) => number.toLocaleString('en')));

const { message, variables, answer, responseBody } = limits;
const { idempotencyKey, userToken, requestBody } = requestLimits;
const { tools, toolName, toolDescription, toolResults } = clientToolLimits;

/** The limits of the HTTP interface. */
export const limitsTable = () =>
  table(
    ['What', 'Limit', 'If exceeded'],
    [
      [
        'message',
        text`${message.min} to ${message.max} characters`,
        '422; the composer counts characters and does not send',
      ],
      ['messages of a conversation that wait for replies', text`${maxPending}`, '429'],
      [
        'variables',
        text`${variables.count}, names of ${variables.nameCharacters} characters, values of ${variables.valueCharacters} (as JSON if not text)`,
        '422',
      ],
      ['variables of a conversation', text`${variables.count * 2}, including the assistant's`, '422'],
      [
        'tools of the page',
        text`${tools.count}, each with ${tools.parameters} parameters; names of ${toolName.min} to ${toolName.max} letters, digits, \`_\` and \`-\`; descriptions of ${toolDescription.max} characters`,
        '422',
      ],
      [
        'results of such tools',
        text`${toolResults.count} with a message, each of ${toolResults.characters} characters as JSON`,
        '422',
      ],
      [
        'calls of such tools',
        text`${toolResults.count} in an answer, each of ${variables.valueCharacters} characters as JSON`,
        'an error for the assistant',
      ],
      [
        'calls of mid-call tools',
        text`${toolResults.count} in an answer, with those of the page, in ${callRounds} rounds; ${variables.valueCharacters} characters as JSON`,
        'an error for the assistant',
      ],
      [
        'response of a mid-call tool',
        text`${responseLimit} bytes, ${maxDepth} levels deep, ${defaults.maxRedirects} redirects`,
        'the result is an `error`',
      ],
      ['request body', text`${requestBody} bytes, ${maxDepth} levels deep`, '413, 422'],
      ['request body with a document', text`${recordLimits.knowledgebase.upload} bytes`, '413'],
      ['`Idempotency-Key`', text`${idempotencyKey.max} characters`, '422'],
      ['`user_token`', text`${userToken.max} characters`, '422'],
      ['`sub` of a user token', text`${userToken.subject} characters`, '401'],
      [
        'claims of a user token',
        text`${userToken.claims}; names of ${variables.nameCharacters} characters with \`verified.\`, values of ${variables.valueCharacters}`,
        'not a variable',
      ],
      ['answer', text`${replyLimit} characters`, 'cut off'],
      [
        'history',
        text`the latest ${historyLimit} entries per response`,
        '[earlier ones](#long-histories) by cursor',
      ],
      [
        'answer or name that the client shows',
        text`${answer.characters} characters, ${answer.functionCalls} tool calls`,
        'the rest is left out',
      ],
      ['response body that the client reads', text`${responseBody} bytes`, '`response-too-large`'],
      ['requests', '`RATE_LIMIT` per address', '429'],
    ],
  );

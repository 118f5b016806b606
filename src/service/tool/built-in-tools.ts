import { isPhoneNumber } from '../../contract/request-fields.ts';
import type { StoredBuiltInTool } from '../db/assistants-table.ts';
import type { EngineTool } from '../engine/engine.ts';

/** The names by which an engine's `function_call` events speak of the built-in tools. */
export const builtInNames = ['end_call', 'call_transfer', 'dtmf_input'] as const;

/** Descriptions speak of calls, and the tools serve written conversations, too. */
const meaning = {
  end_call: 'Ends this conversation, be it spoken or written.',
  call_transfer: 'Hands this conversation, be it spoken or written, over to a person.',
} as const;

/** What an assistant talks through: a line has to be transferred somewhere, a chat only needs somebody to write on. */
export type Channel = 'call' | 'chat';

/**
 * The built-in tools of an assistant that an engine can call. They do nothing themselves: whoever holds the
 * conversation does what a call of one asks for. `dtmf_input` is none of them, because nobody speaks in tones here.
 */
export function builtInTools(stored: StoredBuiltInTool[], channel: Channel): EngineTool[] {
  const ends = stored.filter(({ type }) => type === 'end_call');
  const transfers = stored.filter(({ type }) => type === 'call_transfer');
  return [
    ...(ends.length > 0 ? [endCall(ends)] : []),
    ...(transfers.length > 0 ? [callTransfer(transfers, channel)] : []),
  ];
}

const describe = (what: string, stored: StoredBuiltInTool[]) =>
  [what, ...stored.map(({ description }) => description)].join(' ');

function endCall(stored: StoredBuiltInTool[]): EngineTool {
  return {
    name: 'end_call',
    description: describe(meaning.end_call, stored),
    parameters: [],
    run: () => Promise.resolve({ result: { ended: true }, ends: true }),
  };
}

/** With several numbers the assistant says which. Rows from before a number was needed may have none. */
function callTransfer(all: StoredBuiltInTool[], channel: Channel): EngineTool {
  const stored = channel === 'chat' ? all : all.filter(({ phone_number }) => isPhoneNumber(phone_number));
  if (stored.length === 0) {
    return {
      name: 'call_transfer',
      description: describe(meaning.call_transfer, all),
      parameters: [],
      run: () => Promise.resolve({ result: { error: 'There is no phone number to transfer this call to.' } }),
    };
  }
  const numbers = stored.map(({ phone_number }) => phone_number ?? null);
  const [only = null] = numbers;
  if (stored.length === 1) {
    return {
      name: 'call_transfer',
      description: describe(meaning.call_transfer, stored),
      parameters: [],
      run: () => Promise.resolve(transferTo(only)),
    };
  }
  return {
    name: 'call_transfer',
    description: meaning.call_transfer,
    parameters: [
      {
        name: 'phone_number',
        type: 'string',
        description: stored
          .map(({ phone_number, description }) => `${phone_number ?? ''}: ${description}`)
          .join('\n'),
        required: true,
      },
    ],
    run: ({ phone_number }) => {
      const number = numbers.find((known) => known === phone_number);
      return Promise.resolve(
        number === undefined
          ? { result: { error: `The number must be one of ${numbers.join(', ')}.` } }
          : transferTo(number),
      );
    },
  };
}

const transferTo = (number: string | null) => ({ result: { transferred_to: number }, ends: true as const });

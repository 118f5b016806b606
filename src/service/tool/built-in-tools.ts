import { isPhoneNumber } from '../../contract/request-fields.ts';
import type { StoredBuiltInTool } from '../db/assistants-table.ts';
import type { EngineTool } from '../engine/engine.ts';

/** Names of the built-in tools in `function_call` events. */
export const builtInNames = ['end_call', 'call_transfer', 'dtmf_input'] as const;

/** Owners' descriptions speak of calls, but the tools serve chats, too. */
const descriptions = {
  end_call: 'Ends this conversation, be it spoken or written.',
  call_transfer: 'Hands this conversation, be it spoken or written, over to a person.',
} as const;

/** A call needs a number to be transferred to; a chat does not. */
export type Channel = 'call' | 'chat';

/** A chat can be handed over without a tool of the owner if a webhook notifies a person. */
const chatTransfer: StoredBuiltInTool = {
  type: 'call_transfer',
  description: 'When the visitor asks for a person.',
};

/**
 * Returns the built-in tools that an engine can call. They have no effect of their own: the conversation acts on their
 * results. `dtmf_input` is not among them, because no carrier here sends tones.
 *
 * @param notifiesDesk whether a webhook is sent when a visitor asks for a person
 */
export function builtInTools(
  stored: StoredBuiltInTool[],
  channel: Channel,
  notifiesDesk: boolean,
): EngineTool[] {
  const ends = stored.filter(({ type }) => type === 'end_call');
  const transfers = stored.filter(({ type }) => type === 'call_transfer');
  if (transfers.length === 0 && channel === 'chat' && notifiesDesk) transfers.push(chatTransfer);
  return [
    ...(ends.length > 0 ? [endCall(ends)] : []),
    ...(transfers.length > 0 ? [callTransfer(transfers, channel)] : []),
  ];
}

const describe = (meaning: string, stored: StoredBuiltInTool[]) =>
  [meaning, ...stored.map(({ description }) => description)].join(' ');

function endCall(stored: StoredBuiltInTool[]): EngineTool {
  return {
    name: 'end_call',
    description: describe(descriptions.end_call, stored),
    parameters: [],
    run: () => Promise.resolve({ result: { ended: true }, ends: true }),
  };
}

/** With several numbers, the assistant chooses. Rows from before numbers were required may have none. */
function callTransfer(all: StoredBuiltInTool[], channel: Channel): EngineTool {
  const stored = channel === 'chat' ? all : all.filter(({ phone_number }) => isPhoneNumber(phone_number));
  if (stored.length === 0) {
    return {
      name: 'call_transfer',
      description: describe(descriptions.call_transfer, all),
      parameters: [],
      run: () => Promise.resolve({ result: { error: 'There is no phone number to transfer this call to.' } }),
    };
  }
  const numbers = stored.map(({ phone_number }) => phone_number ?? null);
  const [only = null] = numbers;
  if (stored.length === 1) {
    return {
      name: 'call_transfer',
      description: describe(descriptions.call_transfer, stored),
      parameters: [],
      run: () => Promise.resolve(transferTo(only)),
    };
  }
  return {
    name: 'call_transfer',
    description: descriptions.call_transfer,
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

import { isPhoneNumber } from '../../contract/request-fields.ts';
import type { StoredBuiltInTool } from '../db/assistants-table.ts';
import type { EngineTool } from '../engine/engine.ts';

/** Names of the built-in tools in `function_call` events. */
export const builtInNames = ['end_call', 'call_transfer', 'dtmf_input'] as const;

/** Owners' descriptions speak of calls, but the tools serve chats, too. */
const descriptions = {
  end_call: 'Ends this conversation, be it spoken or written.',
  call_transfer: 'Hands this conversation, be it spoken or written, over to a person.',
  dtmf_input: 'Presses keys of the phone, for example in the menu of a machine, after your words.',
} as const;

/** Keys, and `w` for half a second of pause. */
const keysPattern = /^[0-9*#w]{1,32}$/;

/** A call needs a number to be transferred to; a chat does not. */
export type Channel = 'call' | 'chat';

/** A chat can be handed over without a tool of the owner if a webhook notifies a person. */
const chatTransfer: StoredBuiltInTool = {
  type: 'call_transfer',
  description: 'When the visitor asks for a person.',
};

/**
 * Returns the built-in tools that an engine can call. They have no effect of their own: the conversation acts on their
 * results. Only a call has keys to press (`dtmf_input`).
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
  const keys = stored.filter(({ type }) => type === 'dtmf_input');
  if (transfers.length === 0 && channel === 'chat' && notifiesDesk) transfers.push(chatTransfer);
  return [
    ...(ends.length > 0 ? [endCall(ends)] : []),
    ...(transfers.length > 0 ? [callTransfer(transfers, channel)] : []),
    ...(keys.length > 0 && channel === 'call' ? [dtmfInput(keys)] : []),
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

function dtmfInput(stored: StoredBuiltInTool[]): EngineTool {
  return {
    name: 'dtmf_input',
    description: describe(descriptions.dtmf_input, stored),
    parameters: [
      {
        name: 'digits',
        type: 'string',
        description: 'The keys: 0 to 9, * and #, and w for a pause of half a second.',
        required: true,
      },
    ],
    forModels: true,
    run: ({ digits }) =>
      Promise.resolve({
        result:
          typeof digits === 'string' && keysPattern.test(digits)
            ? { sent: digits }
            : { error: 'The digits must be 1 to 32 of 0 to 9, *, # and w.' },
      }),
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

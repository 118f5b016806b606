import type { EndReason } from '../../../src/contract/call.ts';
import { code, table } from './table.ts';

/** The compiler refuses a missing or unknown reason. */
const meanings: Readonly<Record<EndReason, string>> = {
  balance: 'The balance did not cover another minute.',
  blocked: 'The number was blocked while the call waited.',
  busy: 'The line was busy.',
  'calls-in-parallel': 'An inbound call was refused: too many calls of the owner were in progress.',
  'calls-per-day': 'An inbound call was refused: the calls of the day were used up.',
  'carrier-account':
    "Twilio refused all calls: the operator's account is not active, or its credentials are wrong. A campaign is stopped.",
  'carrier-error':
    'An error of the carrier: it did not accept the call, and reported nothing about it. The log has it. After several such calls in a row, a campaign is stopped.',
  'connection-lost': 'The connection of a web call was lost, and the visitor did not come back.',
  'conversation-ended':
    'The conversation of a web call ended, a person took it over, or its messages were used up.',
  'country-not-allowed': '`CARRIER_COUNTRIES` does not allow the country of the number.',
  'cut-off':
    'An error of the service, of its model or of the carrier interrupted the call. The log has it. After several such calls in a row, a campaign is stopped.',
  'end-call': 'The assistant ended the call with its tool `end_call`.',
  failed: 'The carrier could not place the call.',
  fax: 'A fax answered.',
  'hung-up': 'The customer hung up, or the owner or the visitor ended the call.',
  'max-duration': 'The call reached the longest duration of the assistant.',
  'messages-per-day': 'A daily limit of messages was used up.',
  'minutes-per-day': 'A daily limit of minutes for web calls was used up.',
  'no-answer': 'Nobody answered.',
  'no-assistant': 'The assistant was deleted or no longer makes calls.',
  'no-caller-id':
    'There is no phone number to call from, or Twilio does not accept `assistant_phone_number` as a caller ID. A campaign is stopped, also if it has other numbers.',
  'no-connection': 'The carrier did not connect the call, or lost its connection again and again.',
  'not-connected': 'The browser did not connect a web call in time.',
  'not-reported': 'The carrier did not report what became of the call.',
  'not-started':
    'The call waited too long, for example for a carrier that could not be reached; its campaign was stopped; its lead was deleted or changed; or its calling hours were over.',
  'service-stopped': 'The process of the call stopped or ended. The call was refunded.',
  silence: 'The customer was silent for too long.',
  'spending-limit': 'An inbound call was refused: the spending limit of the owner was reached.',
  transfer: 'The call was transferred.',
  voicemail: 'A voicemail answered.',
};

/** The values of a call's `end_reason`. */
export const endReasonsTable = () =>
  table(
    ['`end_reason`', 'Meaning'],
    Object.entries(meanings).map(([name, meaning]) => [code(name), meaning]),
  );

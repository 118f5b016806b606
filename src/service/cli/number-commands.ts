import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { phoneNumber } from '../../contract/request-fields.ts';
import { recordChange } from '../audit/audit-log.ts';
import { CarrierError } from '../carrier/carrier-error.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { boundTo } from '../db/transactions.ts';
import { NumberTakenError, addNumber } from '../phone-number/add-number.ts';
import type { OwnNumber } from '../phone-number/add-number.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { listBoughtNumbers } from '../phone-number/list-bought-numbers.ts';
import { findUser, userOption } from './find-user.ts';
import { table } from './table.ts';

export const addNumberCommand: Command = {
  name: 'numbers add',
  summary:
    'Adds a number that was not bought here: of the Twilio account, of a SIP trunk, or only shown as caller ID.',
  options: {
    user: userOption,
    number: { value: 'number', description: 'in E.164 format, such as +4930123456', required: true },
    type: { value: 'normal, sip or caller_id', description: 'type of the number', required: true },
    country: { value: 'code', description: 'two letters; required if the number does not imply it' },
  },
  async run({ config, database }, values) {
    const { data: number } = phoneNumber().safeParse(values['number']);
    if (number === undefined) {
      throw new UsageError(
        `"${values['number']}" is not a phone number in E.164 format, such as +4930123456.`,
      );
    }
    const type = typeOf(values['type']);
    const country = countryOf(number, values['country']);
    const { id: userId } = await findUser(database.db, values['user']);
    // Requests to the carrier are not made within the transaction, which would keep other statements waiting.
    const pointHere = type === 'normal' ? await findOwnedNumber(config, number) : undefined;
    if (type === 'caller_id') await requireVerified(config, number);
    const id = await store(database, { userId, phoneNumber: number, countryCode: country, type });
    try {
      await pointHere?.();
    } catch (error) {
      throw new CommandError(
        `${number} was added with the id ${id}, but its calls do not reach this service yet: ${messageOf(error)} Set its webhook in the Twilio Console.`,
        { cause: error },
      );
    }
    return {
      lines: [`Added ${number} with the id ${id}.`],
      data: { id, phone_number: number, country_code: country, type },
    };
  },
};

export const pointNumbersCommand: Command = {
  name: 'numbers point',
  summary: 'Has calls to all bought numbers reach this service, such as after a change of PUBLIC_URL.',
  options: {},
  async run({ config, database }) {
    if (config.carrier.twilio === undefined) {
      throw new CommandError('Only numbers of Twilio can be pointed at this service. Set CARRIER=twilio.');
    }
    const results: { number: string; isOk: boolean; text: string }[] = [];
    for (const number of await listBoughtNumbers(database)) {
      try {
        const pointHere = await findOwnedNumber(config, number);
        await pointHere();
        results.push({ number, isOk: true, text: 'points here' });
      } catch (error) {
        results.push({ number, isOk: false, text: messageOf(error) });
      }
    }
    return {
      lines: table(
        ['number', 'result'],
        results.map(({ number, text }) => [number, text]),
      ),
      data: results.map(({ number, isOk, text }) => ({ phone_number: number, works: isOk, details: text })),
      hasFailed: results.some(({ isOk }) => !isOk),
    };
  },
};

function typeOf(given: string | undefined): OwnNumber['type'] {
  if (given === 'normal' || given === 'sip' || given === 'caller_id') return given;
  throw new UsageError('--type must be normal, sip or caller_id.');
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Adds the number, and its entry in the audit log. */
async function store(database: Database, number: OwnNumber): Promise<number> {
  try {
    return await database.transaction(async (tx) => {
      const id = await addNumber(boundTo(database, tx), number);
      await recordChange(tx, {
        userId: number.userId,
        object: 'phone-number',
        objectId: id,
        actor: { type: 'command-line' },
        operation: 'numbers add',
      });
      return id;
    });
  } catch (error) {
    throw error instanceof NumberTakenError ? new CommandError(error.message, { cause: error }) : error;
  }
}

/** @returns a function that has calls to the number of the Twilio account reach this service. */
async function findOwnedNumber({ carrier }: Config, number: string): Promise<() => Promise<void>> {
  if (carrier.twilio === undefined) {
    throw new CommandError('Only numbers of Twilio can be normal. Set CARRIER=twilio, or use --type sip.');
  }
  const { findTwilioNumber } = await import('../carrier/twilio/find-twilio-number.ts');
  return findTwilioNumber(carrier.twilio, number).catch(explain);
}

/** Twilio refuses calls that show a number that it has not verified. */
async function requireVerified({ carrier }: Config, number: string): Promise<void> {
  if (carrier.twilio === undefined) return;
  const { verifyCallerId } = await import('../carrier/twilio/verify-caller-id.ts');
  const code = await verifyCallerId(carrier.twilio, number).catch(explain);
  if (code === undefined) return;
  throw new CommandError(
    `Twilio is calling ${number}. Enter the code ${code} on that phone, then run this command again.`,
  );
}

function explain(error: unknown): never {
  throw error instanceof CarrierError ? new CommandError(error.message, { cause: error }) : error;
}

function countryOf(number: string, given: string | undefined): string {
  const country = given ?? parsePhoneNumberFromString(number)?.country;
  if (country === undefined) {
    throw new UsageError(`The country of ${number} is unknown. Set it with --country <code>.`);
  }
  if (!/^[a-z]{2}$/i.test(country)) throw new UsageError('--country must be a country code of two letters.');
  return country.toUpperCase();
}

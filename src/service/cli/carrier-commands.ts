import { phoneNumber } from '../../contract/request-fields.ts';
import type { CarrierCheckStep } from '../carrier/carrier-check.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { listBoughtNumbers } from '../phone-number/list-bought-numbers.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { table } from './table.ts';

export const checkCarrierCommand = {
  name: 'carrier check',
  summary: 'Checks step by step whether phone calls can work, and says what to do where not.',
  options: {
    call: {
      value: 'number',
      description: 'also calls this phone of yours, such as +4930123456; with Twilio only',
    },
  },
  async run({ config: { carrier }, database }, values) {
    const steps = await checkCarrier(carrier, database, values['call']);
    const rows = steps.map(({ name, isOk, text }) => [name, isOk ? 'works' : 'fails', text]);
    return {
      lines: table(['step', 'result', 'details'], rows),
      data: steps.map(({ name, isOk, text }) => ({ step: name, works: isOk, details: text })),
      hasFailed: steps.some(({ isOk }) => !isOk),
    };
  },
} satisfies Command;

async function checkCarrier(
  { twilio, asterisk }: Config['carrier'],
  database: Database,
  call: string | undefined,
): Promise<CarrierCheckStep[]> {
  if (twilio) {
    const testNumber = call === undefined ? undefined : phoneNumber().safeParse(call).data;
    if (call !== undefined && testNumber === undefined)
      throw new UsageError(`"${call}" is not a phone number in E.164 format, such as +4930123456.`);
    const { checkTwilio } = await import('../carrier/twilio/check-twilio.ts');
    return checkTwilio(twilio, { testNumber, bought: await listBoughtNumbers(database) });
  }
  if (!asterisk)
    throw new CommandError(
      'Calls are simulated: there is nothing to check. Set CARRIER=twilio or CARRIER=asterisk for real calls.',
    );
  if (call !== undefined)
    throw new UsageError(
      '--call works with Twilio only. With Asterisk, call with `POST /api/user/make_call`.',
    );
  const { checkAsterisk } = await import('../carrier/asterisk/check-asterisk.ts');
  return checkAsterisk(asterisk);
}

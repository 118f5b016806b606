import { phoneNumber } from '../../contract/request-fields.ts';
import { listBoughtNumbers } from '../phone-number/list-bought-numbers.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { table } from './table.ts';

export const checkCarrierCommand: Command = {
  name: 'carrier check',
  summary: 'Checks step by step whether calls with Twilio can work, and says what to do where not.',
  options: {
    call: { value: 'number', description: 'also calls this phone of yours, such as +4930123456' },
  },
  async run({ config: { carrier }, database }, values) {
    if (carrier.twilio === undefined) {
      throw new CommandError(
        carrier.asterisk === undefined
          ? 'Calls are simulated: there is nothing to check. Set CARRIER=twilio or CARRIER=asterisk for real calls.'
          : 'This command checks calls with Twilio only. With Asterisk, /readyz warns while the service is not connected, and `asterisk -rx "pjsip show endpoints"` shows the trunk.',
      );
    }
    const given = values['call'];
    const number = given === undefined ? undefined : phoneNumber().safeParse(given).data;
    if (given !== undefined && number === undefined) {
      throw new UsageError(`"${given}" is not a phone number in E.164 format, such as +4930123456.`);
    }
    const { checkTwilio } = await import('../carrier/twilio/check-twilio.ts');
    const steps = await checkTwilio(carrier.twilio, {
      testNumber: number,
      bought: await listBoughtNumbers(database),
    });
    const rows = steps.map(({ name, isOk, text }) => [name, isOk ? 'works' : 'fails', text]);
    return {
      lines: table(['step', 'result', 'details'], rows),
      data: steps.map(({ name, isOk, text }) => ({ step: name, works: isOk, details: text })),
      hasFailed: steps.some(({ isOk }) => !isOk),
    };
  },
};

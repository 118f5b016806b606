import { appendFileSync } from 'node:fs';
import { SimulatedCarrier } from '../../src/service/carrier/simulated-carrier.ts';

/*
 * Preloaded into a service (`node --import`): appends each number that its carrier dials to a file. The file is written
 * before the number is dialed, so a killed process has recorded all its calls.
 */
const file = process.env['DIALED_NUMBERS_FILE'];
const original = Object.getOwnPropertyDescriptor(SimulatedCarrier.prototype, 'dial');
const dial = original?.value as SimulatedCarrier['dial'];
if (file !== undefined) {
  SimulatedCarrier.prototype.dial = function (call) {
    appendFileSync(file, `${call.to}\n`);
    return dial.call(this, call);
  };
}

import { eventually } from '../eventually.ts';
import type { Owner } from './owner.ts';

/** Numbers whose digits determine the outcome of a simulated call (see number-traits.ts). */
export const callTo = {
  person: '+4989100100000',
  hangsUp: '+4989100100700',
  silent: '+4989100100800',
  objects: '+4989100100900',
  machine: '+4989100100070',
  fax: '+4989100110000',
  losesLine: '+4989100130000',
  hangsUpDuringSpeech: '+4989100160000',
  nobody: '+4989100100085',
  busy: '+4989100100093',
  failing: '+4989100100098',
} as const;

/** Waits until a call has ended; returns its record. */
export async function waitForCall(owner: Owner, id: number): Promise<Record<string, unknown>> {
  return eventually(`call ${id} to end`, async () => {
    const { json } = await owner.get(`calls/${id}`);
    return ['initiated', 'ringing', 'in-progress'].includes(String(json['status'])) ? undefined : json;
  });
}

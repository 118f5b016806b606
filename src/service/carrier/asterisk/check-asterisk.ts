import { pino } from 'pino';
import { z } from 'zod';
import { CarrierCheck } from '../carrier-check.ts';
import type { CarrierCheckStep } from '../carrier-check.ts';
import { AriClient, AriError } from './ari-client.ts';
import type { AsteriskConfig } from './asterisk-config.ts';
import { describeAriFailure } from './describe-ari-failure.ts';

/** The parts of Asterisk's answers that are checked. */
const Info = z.object({ system: z.object({ version: z.string() }) });
const Endpoint = z.object({ state: z.string().optional() });

const audioModule = 'chan_websocket.so';

/** Checks step by step whether calls with Asterisk can work. Steps whose precondition failed are skipped. */
export async function checkAsterisk(config: AsteriskConfig): Promise<CarrierCheckStep[]> {
  const ari = new AriClient(config, pino({ level: 'silent' }));
  /** Returns undefined if there is no such object. */
  const read = async (path: string): Promise<unknown> => {
    try {
      return await ari.send('GET', path);
    } catch (error) {
      if (error instanceof AriError && error.status === 404) return undefined;
      // Another program has answered with a page.
      if (error instanceof SyntaxError) return undefined;
      throw new Error(describeAriFailure(config.url, error), { cause: error });
    }
  };

  const check = new CarrierCheck();
  const isReachable = await check.run('Asterisk', async () => {
    const info = Info.safeParse(await read('/asterisk/info'));
    if (!info.success)
      throw new Error(`${config.url}/ari is not the REST interface of Asterisk. Check ASTERISK_URL.`);
    return `version ${info.data.system.version}`;
  });
  if (!isReachable) return check.steps;
  await check.run('audio', async () => {
    if (await read(`/asterisk/modules/${audioModule}`)) return `${audioModule} is loaded`;
    throw new Error(
      `${audioModule} is not loaded. It is part of Asterisk 22.8 and newer: check modules.conf.`,
    );
  });
  await check.run('trunk', () => checkTrunk(config.endpoint, read));
  await check.run('service', async () => {
    const path = `/applications/${encodeURIComponent(config.application)}`;
    if (await read(path)) return 'a running service receives the inbound calls';
    throw new Error(
      `No running service receives inbound calls of the application "${config.application}". Start the service with the same settings.`,
    );
  });
  return check.steps;
}

/** @param dialString such as `PJSIP/{number}@trunk` */
async function checkTrunk(dialString: string, read: (path: string) => Promise<unknown>): Promise<string> {
  const { technology = '', name = '' } =
    /^(?<technology>\w+)\/.*@(?<name>[^/{}]+)$/.exec(dialString)?.groups ?? {};
  if (name === '') return `not checked, since ASTERISK_ENDPOINT is ${dialString}`;
  const found = Endpoint.safeParse(await read(`/endpoints/${technology}/${encodeURIComponent(name)}`));
  if (!found.success)
    throw new Error(
      `Asterisk has no ${technology} endpoint "${name}". Its name is the part after "@" in ASTERISK_ENDPOINT, and a section in pjsip.conf.`,
    );
  const { state = 'unknown' } = found.data;
  if (state === 'offline')
    throw new Error(
      `The ${technology} endpoint "${name}" is offline. Check the address and the password of your provider in pjsip.conf; \`asterisk -rx "pjsip show endpoints"\` shows more.`,
    );
  return `the endpoint "${name}" is ${state}`;
}

import { pino } from 'pino';
import { readConfig } from '../../../src/service/config.ts';
import { createLog } from '../../../src/service/log.ts';
import { serve } from '../../../src/service/serve.ts';
import { createVoice } from '../../../src/voice/create-voice.ts';

/*
 * The service of `npm run bench:web-calls`, in a separate process. Its audio stays on this machine. It answers each
 * message with its memory and its processor time.
 */

const voice = await createVoice(
  { media: { listenAddress: '127.0.0.1' }, speech: {} },
  pino({ level: 'error' }),
);
const { url } = await serve(readConfig(process.env), { log: createLog('error'), voice });

process.on('message', () => {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.({ megabytes: process.memoryUsage().rss / 2 ** 20, seconds: (user + system) / 1e6 });
});
process.send?.({ url });

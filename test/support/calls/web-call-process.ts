import process from 'node:process';
import { readConfig } from '../../../src/service/config.ts';
import { createLog } from '../../../src/service/log.ts';
import { serve } from '../../../src/service/serve.ts';
import { MemoryVoice } from './memory-voice.ts';

/*
 * A service in its own process, with web calls in memory. `POST /visitor/hum` lets the visitor of the latest call hum for
 * twelve seconds, and responds when two parts of the recording are stored.
 */

const voice = new MemoryVoice();
const service = await serve(readConfig(process.env), {
  log: createLog('info'),
  voice,
  mount: (app) => {
    app.post('/visitor/hum', async (c) => {
      const { browser } = voice;
      browser.receive(Int16Array.from({ length: 12 * browser.rate }, (_, index) => 500 * (index % 10)));
      const count = async () =>
        (await service.database.pool.query('SELECT first FROM recording_chunks')).rows.length;
      while ((await count()) < 2) await new Promise(setImmediate);
      return c.json({ status: true });
    });
  },
});

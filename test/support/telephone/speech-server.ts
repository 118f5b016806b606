import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { pino } from 'pino';
import { decodeWav, encodeWav } from '../../../src/service/voice/wav.ts';
import { createOfflineSpeech } from '../../../src/voice/speech/offline-speech.ts';
import { record } from '../voice/recording.ts';

/** Starts an OpenAI-compatible server of `/v1/audio` that works without a network: flite speaks, Moonshine transcribes. */
export async function startSpeechServer() {
  const { transcriber, problems, close } = await createOfflineSpeech({}, pino({ level: 'silent' }));
  if (!transcriber) throw new Error(problems.join(' '));
  const transcribe = (samples: Int16Array, rate: number) =>
    transcriber.transcribe(samples, rate, 'en', AbortSignal.timeout(60_000));
  const spoken: string[] = [];
  const app = new Hono();
  app.post('/v1/audio/speech', async (context) => {
    const { input } = await context.req.json<{ input: string }>();
    spoken.push(input);
    const { samples, rate } = await record(input);
    return context.body(encodeWav(samples, rate), 200, { 'Content-Type': 'audio/wav' });
  });
  app.post('/v1/audio/transcriptions', async (context) => {
    const { file } = await context.req.parseBody<{ file: File }>();
    const { samples, rate } = await readWav(Buffer.from(await file.arrayBuffer()));
    return context.json({ text: await transcribe(samples, rate) });
  });
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return {
    baseUrl: `http://127.0.0.1:${String(port)}/v1`,
    /** The texts that were spoken. */
    spoken,
    transcribe,
    close: async () => {
      close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads a whole WAV file. */
export async function readWav(file: Buffer): Promise<{ samples: Int16Array; rate: number }> {
  for await (const part of decodeWav(new Blob([new Uint8Array(file)]).stream())) return part;
  return { samples: new Int16Array(0), rate: 16_000 };
}

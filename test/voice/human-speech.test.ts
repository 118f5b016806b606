import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { TurnDetector } from '../../src/service/voice/turn-detector.ts';
import { readSamples } from '../../src/service/voice/wav.ts';
import { createOfflineSpeech } from '../../src/voice/speech/offline-speech.ts';
import type { OfflineSpeech } from '../../src/voice/speech/offline-speech.ts';
import { wordErrors, words } from '../support/voice/word-errors.ts';

/*
 * Sentences of "Sense and Sensibility" as a woman read them for LibriVox, from Debian's package pocketsphinx-testdata.
 * All other recordings of the tests are synthesized.
 */
const folder = '/usr/share/pocketsphinx/test/data/librivox';
const isInstalled = existsSync(folder);
if (!isInstalled && process.env['REQUIRE_ALL'] === '1')
  throw new Error('pocketsphinx-testdata is not installed.');

const rate = 16_000;
const headerBytes = 44;
const frame = rate / 50;
/** As of an assistant with default settings. */
const turnSettings = { pause: 0.9, shortest: 0.12 };

interface Sentence {
  text: string;
  samples: Int16Array;
}

describe('human speech', { skip: !isInstalled && 'pocketsphinx-testdata is not installed' }, () => {
  let speech: OfflineSpeech;
  let sentences: Sentence[];

  before(async () => {
    speech = await createOfflineSpeech({}, pino({ level: 'silent' }));
    sentences = await readSentences();
    assert.equal(sentences.length, 5);
  });
  after(() => {
    speech.close();
  });

  it('is transcribed', async (context) => {
    let [errors, total] = [0, 0];
    for (const { text, samples } of sentences) {
      const said = await speech.transcriber?.transcribe(samples, rate, 'en', AbortSignal.timeout(30_000));
      errors += wordErrors(text, said ?? '');
      total += words(text).length;
    }
    context.diagnostic(`${errors} of ${total} words wrong`);
    assert(errors <= total * 0.15, `${errors} of ${total} words wrong`);
  });

  it('is divided into one turn for each sentence', () => {
    for (const { text, samples } of sentences) {
      const turns = new TurnDetector(rate, turnSettings, speech.createDetector?.(rate));
      const seconds: number[] = [];
      const line = Int16Array.from([...silence(1), ...samples, ...silence(2)]);
      for (let at = 0; at < line.length; at += frame) {
        const event = turns.detect(line.subarray(at, at + frame));
        if (event?.type === 'ended') seconds.push(event.utterance().seconds);
      }
      turns.close();
      assert.equal(seconds.length, 1, `${seconds.length} turns: ${text}`);
    }
  });
});

/** Reads the sentences and their texts, as in `<s> he was not an ill disposed young man </s> (NAME)`. */
async function readSentences(): Promise<Sentence[]> {
  const lines = await readFile(join(folder, 'transcription'), 'utf8');
  return Promise.all(
    [...lines.matchAll(/<s>(.*)<\/s> \((.*)\)/g)].map(async ([, text = '', name = '']) => ({
      text,
      samples: readSamples((await readFile(join(folder, `${name}.wav`))).subarray(headerBytes)),
    })),
  );
}

/** Almost silence: a line is never entirely silent. */
const silence = (seconds: number): Int16Array =>
  new Int16Array(seconds * rate).map((_, at) => Math.round(20 * Math.sin(at * 0.7)));

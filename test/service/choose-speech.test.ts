import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseSpeech } from '../../src/service/voice/choose-speech.ts';
import type { Transcriber } from '../../src/service/voice/transcriber.ts';

const transcriber = (): Transcriber => ({ transcribe: () => Promise.resolve('') });
const [fallback, all, german, other] = [transcriber(), transcriber(), transcriber(), transcriber()];
const speech = {
  synthesizer: undefined,
  transcriber: fallback,
  transcribers: new Map([
    ['all', { transcriber: all, languages: undefined }],
    ['german', { transcriber: german, languages: ['de'] }],
    ['other', { transcriber: other, languages: ['de', 'fr'] }],
  ]),
};

describe('the transcriber of an assistant', () => {
  for (const [title, language, chosen, expected] of [
    ['is the chosen one', 'de', 'other', other],
    ['is the first one that names the language, if none is chosen', 'de', null, german],
    ['is the one that names the language, if the chosen one is not configured', 'fr', 'removed', other],
    ['is the default one for other languages', 'it', null, fallback],
  ] as const) {
    it(title, () => {
      assert.equal(chooseSpeech(speech, { language, transcriber: chosen }).transcriber, expected);
    });
  }
});

it('passes the gender and accent of a voice that no provider has', () => {
  const voice = { provider: 'removed', name: 'Mira', gender: 'female', accent: 'standard' };
  const chosen = chooseSpeech(speech, { language: 'de', voice });
  assert.equal(chosen.voice, undefined);
  assert.deepEqual(chosen.similarTo, { gender: 'female', accent: 'standard' });
});

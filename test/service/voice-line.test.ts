import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { countWords } from '../../src/service/voice/words.ts';
import { Resampler } from '../../src/service/voice/resampler.ts';
import { sentences } from '../../src/service/voice/split-sentences.ts';
import type { Synthesizer } from '../../src/service/voice/synthesizer.ts';
import type { Transcriber } from '../../src/service/voice/transcriber.ts';
import { HeardText } from '../../src/service/voice/heard-text.ts';
import { TurnDetector } from '../../src/service/voice/turn-detector.ts';
import { VoiceLine } from '../../src/service/voice/voice-line.ts';
import { wavHeaderLength } from '../../src/service/voice/wav-header.ts';
import { decodeWav, encodeWav } from '../../src/service/voice/wav.ts';
import { speechSettings } from '../support/calls/call-plan.ts';
import { MemoryPeer } from '../support/calls/memory-peer.ts';
import { until } from '../support/until.ts';

const rate = 8000;
const never = new AbortController().signal;

/** A tone for speech, and faint noise for the rest of the line. */
const tone = (seconds: number, hertz = 440, at = rate, amplitude = 8000) =>
  Int16Array.from({ length: seconds * at }, (_, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hertz * index) / at)),
  );
const hum = (seconds: number) => tone(seconds, 50, rate, 20);

const isAudible = (samples: readonly number[]) => samples.some((sample) => Math.abs(sample) > 1000);

// eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of a model
async function* stream<Chunk>(...chunks: Chunk[]) {
  yield* chunks;
}

describe('a voice line', () => {
  it('speaks sentence by sentence, and returns the whole text as heard', async () => {
    const { line, peer, spoken } = createLine();
    const result = await line.say(stream('Good mor', 'ning. How can I ', 'help you?'), 60, never);
    assert.deepEqual(spoken, ['Good morning.', 'How can I help you?']);
    assert.equal(result.played, 'Good morning. How can I help you?');
    assert.equal(result.cutOffBy, undefined);
    assert.equal(peer.flushes, 0);
  });

  it('transcribes during the pause that ends what the customer says, once', async () => {
    const { line, peer, transcribed } = createLine();
    peer.receive(tone(1));
    peer.receive(hum(0.5));
    assert.equal(transcribed.length, 1);
    assert.equal(await line.next(0, never), undefined);
    peer.receive(hum(1));
    assert.equal((await line.next(5, never))?.type, 'said');
    assert.equal(transcribed.length, 1);
  });

  it('transcribes all again if the customer continues after a short pause, and stops the first transcription', async () => {
    const { line, peer, transcribed } = createLine();
    peer.receive(tone(1));
    peer.receive(hum(0.5));
    assert.deepEqual([transcribed.length, transcribed[0]?.signal.aborted], [1, false]);
    peer.receive(tone(1));
    assert.equal(transcribed[0]?.signal.aborted, true);
    peer.receive(hum(1.5));
    assert.equal((await line.next(5, never))?.type, 'said');
    assert.equal(transcribed.length, 2);
    assert((transcribed[1]?.seconds ?? 0) > 2.5);
    assert.equal(transcribed[1]?.signal.aborted, false);
  });

  it('transcribes less than three times the speech of a customer who pauses often', async () => {
    const { line, peer, transcribed } = createLine();
    for (let part = 0; part < 20; part++) {
      peer.receive(tone(0.5));
      peer.receive(hum(0.5));
    }
    peer.receive(hum(1));
    assert.equal((await line.next(5, never))?.type, 'said');
    const sum = transcribed.reduce((all, { seconds }) => all + seconds, 0);
    assert(sum < 3 * 20, `${String(sum)} s of 20 s`);
  });

  it('does not transcribe a sound during the answer that is too short to interrupt it', async () => {
    const { line, peer, transcribed, events } = createLine({ isPaced: true });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.5);
    peer.receive(tone(0.2));
    peer.receive(hum(2));
    await until(() => events.includes('said: '));
    assert.equal(transcribed.length, 0);
    line.close('connection');
    await saying;
  });

  it('knows when the customer was last heard, also before they have finished', () => {
    const { line, peer } = createLine();
    const spokeAt = () => line.customerSpokeAt;
    assert.equal(spokeAt(), undefined);
    peer.receive(tone(0.5));
    const { now } = line;
    assert.ok((spokeAt() ?? 0) >= now);
    peer.receive(hum(2));
    const until = spokeAt();
    assert.ok(until !== undefined && line.now > until);
    assert.equal(spokeAt(), until);
  });

  it('speaks an incomplete sentence when the text pauses', async () => {
    const { line, spoken } = createLine();
    const rest = Promise.withResolvers<string>();
    async function* slowly() {
      yield 'Hmm ';
      yield '';
      yield await rest.promise;
    }
    const saying = line.say(slowly(), 60, never);
    await until(() => spoken.includes('Hmm'));
    rest.resolve('We open at nine.');
    assert.equal((await saying).played, 'Hmm We open at nine.');
    assert.deepEqual(spoken, ['Hmm', 'We open at nine.']);
  });

  it('speaks a complete sentence while the model is still busy', async () => {
    const { line, spoken } = createLine();
    const rest = Promise.withResolvers<string>();
    async function* slowly() {
      yield 'Let me look that up.';
      yield await rest.promise;
    }
    const saying = line.say(slowly(), 60, never);
    await until(() => spoken.length === 1);
    rest.resolve(' We open at nine.');
    assert.equal((await saying).played, 'Let me look that up. We open at nine.');
  });

  it('returns the sentences that were heard, and the error, if the voice fails', async () => {
    const { line } = createLine({ unspeakable: 'We open at nine.' });
    const result = await line.say(stream('Let me look that up. ', 'We open at nine.'), 60, never);
    assert.equal(result.played, 'Let me look that up. ');
    assert.equal(result.error?.message, 'The voice failed.');
  });

  it('stops when the customer speaks, and returns the sentences that were heard', async () => {
    const { line, peer } = createLine();
    // Each sentence has a mark at its start and one at its end.
    peer.holdMarksFrom = 3;
    const saying = line.say(stream('One two. ', 'Three four five six. ', 'Seven. '), 60, never);
    await peer.held.promise;
    peer.receive(tone(1));
    peer.receive(hum(1));
    const { played, cutOffBy } = await saying;
    assert.equal(cutOffBy, 'customer');
    assert.match(played, /^One two\. /);
    assert.doesNotMatch(played, /Seven/);
    assert.equal(peer.flushes, 1);
  });

  it('is not interrupted before its audio starts', async () => {
    const sound = Promise.withResolvers<Int16Array>();
    const { line, peer } = createLine({ sound: sound.promise });
    const saying = line.say(stream('One two. '), 60, never);
    await nextTurn();
    peer.receive(tone(1));
    peer.receive(hum(1));
    sound.resolve(tone(1));
    assert.equal((await saying).cutOffBy, undefined);
    assert.equal((await line.next(5, never))?.type, 'said');
  });

  it('keeps what the customer says for the next turn while it waits for the rest of its text', async () => {
    const rest = Promise.withResolvers<string>();
    async function* slowly() {
      yield 'One moment, please.';
      yield await rest.promise;
    }
    const { line, peer } = createLine({ isPaced: true });
    const saying = line.say(slowly(), 60, never);
    await until(() => peer.played > 0);
    peer.advance(1.1);
    peer.receive(tone(1));
    peer.receive(hum(1));
    assert.equal((await line.next(5, never))?.type, 'said');
    rest.resolve(' It is booked.');
    await until(() => peer.played > rate);
    peer.advance(1.1);
    await nextTurn();
    peer.advance(0.1);
    const { played, cutOffBy } = await saying;
    assert.deepEqual([played, cutOffBy], ['One moment, please. It is booked.', undefined]);
  });

  it('pauses when the customer makes a sound, and resumes if it was no interruption', async () => {
    const { line, peer, events } = createLine({ isPaced: true });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    assert(isAudible(peer.advance(0.5)));
    peer.receive(tone(0.2));
    assert(!isAudible(peer.advance(0.5)));
    peer.receive(hum(0.5));
    assert(isAudible(peer.advance(0.4)));
    peer.receive(hum(1));
    await until(() => events.includes('said: '));
    peer.advance(0.2);
    assert.deepEqual(await saying.then(({ played, cutOffBy }) => [played, cutOffBy]), [
      'One two three four. ',
      undefined,
    ]);
    assert.equal(peer.flushes, 0);
    assert.equal(await line.next(0, never), undefined);
    assert.deepEqual(events, [
      ...['saying: One two three four. ', 'speaking', 'assistant paused', 'assistant resumed'],
      ...['paused', 'said: ', 'heard: One two three four. '],
    ]);
  });

  it('does not stay paused if the peer reports the end of the text just after the pause', async () => {
    const { line, peer } = createLine();
    peer.holdMarksFrom = 1;
    const saying = line.say(stream('One two three four. '), 60, never);
    await peer.held.promise;
    peer.receive(tone(0.2));
    assert.equal(peer.isPaused, true);
    peer.releaseMarks();
    assert.equal((await saying).cutOffBy, undefined);
    assert.equal(peer.isPaused, false);
  });

  it('stops if the customer continues to speak after the pause', async () => {
    const { line, peer } = createLine({ isPaced: true });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.5);
    peer.receive(tone(0.2));
    peer.receive(hum(0.2));
    peer.receive(tone(0.5));
    peer.receive(hum(1));
    assert.equal((await saying).cutOffBy, 'customer');
    assert.equal((await line.next(5, never))?.type, 'said');
    const again = line.say(stream('Five.'), 60, never);
    await until(() => peer.played > 2 * rate - 1);
    assert(isAudible(peer.advance(1)));
    await nextTurn();
    peer.advance(0.1);
    assert.equal((await again).played, 'Five.');
  });

  it('pauses at a long sound, and resumes if it contained no words', async () => {
    const { line, peer, events } = createLine({ isPaced: true, understood: '' });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.5);
    peer.receive(tone(1));
    peer.receive(hum(0.6));
    assert(!isAudible(peer.advance(0.5)));
    peer.receive(hum(0.5));
    await until(() => events.includes('assistant resumed'));
    peer.advance(0.6);
    assert.deepEqual(await saying.then(({ played, cutOffBy }) => [played, cutOffBy]), [
      'One two three four. ',
      undefined,
    ]);
    assert.equal(await line.next(0, never), undefined);
  });

  it('yields an unknown text if the transcription of an interruption fails', async () => {
    const understood = () => Promise.reject(new Error('The server is busy.'));
    const { line, peer } = createLine({ isPaced: true, understood });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.5);
    peer.receive(tone(1));
    peer.receive(hum(1));
    assert.equal((await saying).cutOffBy, 'customer');
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert.equal(event.text, '…');
  });

  describe('whose microphone hears the assistant', () => {
    const answering = async (sound: Int16Array) => {
      const { line, peer } = createLine({ isPaced: true, sound: Promise.resolve(sound) });
      const saying = line.say(stream('One two three four. '), 60, never);
      await until(() => peer.played > 0);
      const echo = new Array<number>(0.15 * rate).fill(0);
      /** @param share of the echo; 0: there is none; undefined: the microphone is muted. */
      const hear = async (
        seconds: number,
        share: number | undefined,
        speech: Int16Array = new Int16Array(0),
      ) => {
        for (let frame = 0; frame < seconds * 50; frame++) {
          echo.push(...peer.advance(0.02));
          const said = speech.subarray(frame * (rate / 50));
          const quiet = hum(0.02);
          peer.receive(
            echo
              .splice(0, rate / 50)
              .map((sample, at) =>
                share === undefined
                  ? Number(at % 100 === 0)
                  : share * sample + (said[at] ?? 0) + (quiet[at] ?? 0),
              ),
          );
          await nextTurn();
        }
      };
      return { saying, hear };
    };
    const halfway = async (share: number, speech?: Int16Array) => {
      const { saying, hear } = await answering(tone(6));
      await hear(3, share);
      await hear(4, share, speech);
      return (await saying).cutOffBy;
    };

    it('does not count an echo of -20 dB as speech', async () => {
      assert.equal(await halfway(0.1), undefined);
    });

    it('does not count it after a gap in the answer either', async () => {
      const { saying, hear } = await answering(
        Int16Array.of(...tone(1), ...new Int16Array(4 * rate), ...tone(1)),
      );
      await hear(7, 0.1);
      assert.equal((await saying).cutOffBy, undefined);
    });

    it('does not count it after the microphone was muted either', async () => {
      const { saying, hear } = await answering(tone(6));
      await hear(3, undefined);
      await hear(4, 0.1);
      assert.equal((await saying).cutOffBy, undefined);
    });

    it('is interrupted by a customer who is louder than the echo', async () => {
      assert.equal(await halfway(0.1, tone(1, 300, rate, 2000)), 'customer');
    });

    it('is interrupted by a quiet customer if there is no echo', async () => {
      assert.equal(await halfway(0, tone(1, 300, rate, 400)), 'customer');
    });
  });

  it('continues if the customer says too few words to interrupt', async () => {
    const { line, peer, events } = createLine({ isPaced: true, minInterruptWords: 3 });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.2);
    peer.receive(tone(0.5));
    assert(isAudible(peer.advance(0.2)));
    peer.receive(hum(1));
    await until(() => events.includes('said: '));
    peer.advance(1);
    assert.equal((await saying).cutOffBy, undefined);
    assert.equal(await line.next(0, never), undefined);
  });

  it('does not stop if interruptions are off', async () => {
    const { line, peer } = createLine({ allowInterruptions: false });
    peer.holdMarksFrom = 1;
    const saying = line.say(stream('One two. '), 60, never);
    await peer.held.promise;
    peer.receive(tone(1));
    peer.releaseMarks();
    assert.equal((await saying).cutOffBy, undefined);
  });

  it('waits for a customer who started to speak before its audio, and stops if there were words', async () => {
    const sound = Promise.withResolvers<Int16Array>();
    const { line, peer, events } = createLine({ isPaced: true, sound: sound.promise });
    const saying = line.say(stream('One two three four. '), 60, never);
    peer.receive(tone(0.5));
    sound.resolve(tone(1));
    await until(() => peer.played > 0);
    peer.advance(0.02);
    peer.receive(hum(0.5));
    assert(!isAudible(peer.advance(0.5)));
    peer.receive(hum(0.5));
    assert.deepEqual(await saying.then(({ played, cutOffBy }) => [played, cutOffBy]), ['', 'customer']);
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert.equal(event.text, 'Understood.');
    assert(Math.abs(event.seconds - 0.5) < 0.1, String(event.seconds));
    assert(events.includes('said: Understood.'));
  });

  it('resumes after a sound that started before its audio and contained no words', async () => {
    const sound = Promise.withResolvers<Int16Array>();
    const { line, peer, events } = createLine({ isPaced: true, sound: sound.promise, understood: '' });
    const saying = line.say(stream('One two three four. '), 60, never);
    peer.receive(tone(0.5));
    sound.resolve(tone(1));
    await until(() => peer.played > 0);
    peer.advance(0.02);
    peer.receive(hum(1));
    await until(() => events.includes('assistant resumed'));
    peer.advance(1.1);
    assert.equal((await saying).played, 'One two three four. ');
    assert.equal(await line.next(0, never), undefined);
  });

  it('yields words from before its audio after it has spoken if interruptions are off', async () => {
    const sound = Promise.withResolvers<Int16Array>();
    const { line, peer } = createLine({ isPaced: true, sound: sound.promise, allowInterruptions: false });
    const saying = line.say(stream('One two three four. '), 60, never);
    peer.receive(tone(0.5));
    sound.resolve(tone(1));
    await until(() => peer.played > 0);
    peer.advance(0.02);
    peer.receive(hum(1));
    await nextTurn();
    peer.advance(1.1);
    assert.equal((await saying).cutOffBy, undefined);
    assert.equal((await line.next(5, never))?.type, 'said');
  });

  it('yields words whose pause ends as its audio starts if interruptions are off', async () => {
    for (let frames = 40; frames < 50; frames++) {
      const sound = Promise.withResolvers<Int16Array>();
      const { line, peer } = createLine({ isPaced: true, sound: sound.promise, allowInterruptions: false });
      const saying = line.say(stream('One two three four. '), 60, never);
      peer.receive(tone(0.5));
      peer.receive(hum(frames / 50));
      sound.resolve(tone(1));
      await until(() => peer.played > 0);
      peer.advance(0.02);
      peer.receive(hum(0.5));
      assert.equal((await line.next(5, never))?.type, 'said', `after ${String(frames)} frames`);
      line.close('connection');
      await saying;
    }
  });

  it('is interrupted by enough words, however short the utterance is', async () => {
    const { line, peer } = createLine({ isPaced: true, minInterruptWords: 3, understood: 'No, stop it.' });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.2);
    peer.receive(tone(0.4));
    peer.receive(hum(1));
    assert.equal((await saying).cutOffBy, 'customer');
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert.equal(event.text, 'No, stop it.');
  });

  it('counts the words of a language without spaces', async () => {
    const { line, peer } = createLine({ isPaced: true, minInterruptWords: 3, understood: '请等一下。' });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.2);
    peer.receive(tone(0.5));
    peer.receive(hum(1));
    await nextTurn();
    peer.advance(1);
    assert.equal((await saying).cutOffBy, 'customer');
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert.equal(event.text, '请等一下。');
  });

  it('is interrupted by enough words of a second utterance before that has ended', async () => {
    const texts = ['Yes.', 'Yes.', 'Yes.', 'No, stop it.'];
    const { line, peer } = createLine({
      ...{ isPaced: true, minInterruptWords: 3, understood: () => texts.shift() ?? '' },
    });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.2);
    for (const speech of [tone(1.5), hum(1), tone(0.76)])
      for (let at = 0; at < speech.length; at += rate / 50) {
        peer.receive(speech.subarray(at, at + rate / 50));
        await nextTurn();
      }
    assert.equal((await saying).cutOffBy, 'customer');
  });

  it('does not transcribe the same speech to count its words and to display it', async () => {
    const { line, peer, transcribed, provisional, events } = createLine({
      ...{ isPaced: true, minInterruptWords: 3 },
    });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.2);
    for (let second = 0; second < 3; second += 0.1) {
      peer.receive(tone(0.1));
      await nextTurn();
    }
    assert.equal(provisional.length, 0);
    assert.deepEqual(
      transcribed.map(({ seconds }) => Math.round(4 * seconds) / 4),
      [0.75, 1.25, 1.75, 2.25, 2.75],
    );
    assert(events.includes('provisional: Understood.'));
    line.close('connection');
    await saying;
  });

  it('is not interrupted by words that were counted after the transcript of the utterance', async () => {
    const counted = Promise.withResolvers<string>();
    let calls = 0;
    const { line, peer, events } = createLine({
      ...{
        isPaced: true,
        minInterruptWords: 3,
        understood: () => (calls++ === 0 ? counted.promise : 'Yes.'),
      },
    });
    const saying = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.2);
    peer.receive(tone(0.8));
    peer.receive(hum(1));
    await until(() => events.includes('said: '));
    counted.resolve('No, stop it.');
    await nextTurn();
    peer.advance(1);
    assert.equal((await saying).cutOffBy, undefined);
  });

  it('stays paused if the customer speaks again while their first words are transcribed', async () => {
    const [sound, understood] = [Promise.withResolvers<Int16Array>(), Promise.withResolvers<string>()];
    const { line, peer, events } = createLine({
      ...{ isPaced: true, sound: sound.promise, understood: understood.promise },
    });
    const saying = line.say(stream('One two three four. '), 60, never);
    peer.receive(tone(0.2));
    sound.resolve(tone(1));
    await until(() => peer.played > 0);
    peer.advance(0.02);
    peer.receive(hum(1));
    peer.receive(tone(0.2));
    understood.resolve('');
    await until(() => events.includes('said: '));
    assert(!events.includes('assistant resumed'));
    peer.receive(hum(0.5));
    assert(events.includes('assistant resumed'));
    line.close('connection');
    await saying;
  });

  it('yields an interruption that ends after the next answer has started', async () => {
    const { line, peer } = createLine({ isPaced: true });
    const first = line.say(stream('One two three four. '), 60, never);
    await until(() => peer.played > 0);
    peer.advance(0.5);
    peer.receive(tone(1));
    line.interrupt();
    assert.equal((await first).cutOffBy, 'customer');
    const { played } = peer;
    const second = line.say(stream('Five six. '), 60, never);
    await until(() => peer.played > played);
    peer.advance(0.5);
    peer.receive(hum(1));
    assert.equal((await second).cutOffBy, 'customer');
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert(Math.abs(event.seconds - 1) < 0.1, String(event.seconds));
  });

  it('displays no provisional transcript of an utterance that has ended', async () => {
    const unfinished = Promise.withResolvers<string>();
    const { line, peer, events } = createLine({ unfinished: unfinished.promise });
    peer.receive(tone(1));
    peer.receive(hum(1));
    assert.equal((await line.next(5, never))?.type, 'said');
    peer.receive(tone(0.5));
    unfinished.resolve('The first words');
    await nextTurn();
    assert(!events.includes('provisional: The first words'));
  });

  it('yields the customer’s words after a pause', async () => {
    const { line, peer } = createLine();
    peer.receive(hum(0.5));
    peer.receive(tone(1));
    peer.receive(hum(1));
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert.equal(event.text, 'Understood.');
    assert(Math.abs(event.seconds - 1) < 0.1, String(event.seconds));
  });

  it('transcribes a long utterance provisionally, in total less than three times its length', async () => {
    const { line, peer, provisional } = createLine();
    for (let second = 0; second < 30; second += 0.1) {
      peer.receive(tone(0.1));
      await nextTurn();
    }
    peer.receive(hum(1));
    assert.equal((await line.next(5, never))?.type, 'said');
    assert(provisional.length >= 8, String(provisional));
    const total = provisional.reduce((sum, seconds) => sum + seconds, 0);
    assert(total < 3 * 30, String(total));
  });

  it('reports the end of an utterance without the pause and the transcription', async () => {
    const understood = Promise.withResolvers<string>();
    const { line, peer } = createLine({ understood: understood.promise });
    peer.receive(tone(1));
    const before = line.now;
    peer.receive(hum(1));
    const after = line.now;
    const next = line.next(5, never);
    await until(() => line.now > after + 0.05);
    understood.resolve('Understood.');
    const event = await next;
    assert(event?.type === 'said');
    // It was received at once, and has ended after a pause of 0.9 seconds.
    assert(event.endedAt > before - 1 && event.endedAt < after - 0.8, String(event.endedAt));
  });

  it('lets the transcriber detect the language if the assistant has several', async () => {
    for (const [otherLanguages, detects, language] of [
      [[], undefined, 'en'],
      [['de'], undefined, undefined],
      [['de'], (all: readonly string[]) => all.join() === 'en,de', undefined],
      [['de'], () => false, 'en'],
    ] as const) {
      const { line, peer, languages } = createLine({ otherLanguages, detects });
      peer.receive(tone(1));
      peer.receive(hum(1));
      assert.equal((await line.next(5, never))?.type, 'said');
      assert.deepEqual(languages, [language]);
    }
  });

  it('yields the last words of a customer who hangs up before the pause, then ends', async () => {
    const understood = Promise.withResolvers<string>();
    const { line, peer } = createLine({ understood: understood.promise });
    peer.receive(tone(1));
    line.close('customer');
    assert.equal(line.hasEnded, true);
    assert.equal(await line.next(0, never), undefined);
    understood.resolve('Take me off your list!');
    const event = await line.next(5, never);
    assert(event?.type === 'said');
    assert.equal(event.text, 'Take me off your list!');
    assert(Math.abs(event.seconds - 1) < 0.1, String(event.seconds));
    assert.deepEqual(await line.next(5, never), { type: 'ended', by: 'customer' });
  });

  it('yields the last words of a customer who hangs up during their transcription', async () => {
    const understood = Promise.withResolvers<string>();
    const { line, peer, transcribed } = createLine({ understood: understood.promise });
    peer.receive(tone(1));
    peer.receive(hum(1));
    line.close('customer');
    understood.resolve('Goodbye.');
    assert.equal((await line.next(5, never))?.type, 'said');
    assert.equal((await line.next(5, never))?.type, 'ended');
    assert.equal(transcribed.length, 1);
  });

  it('ends without the last words if their transcription takes too long, and stops its clock', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { line, peer, transcribed } = createLine({ understood: new Promise(() => undefined) });
    peer.receive(tone(1));
    line.close('customer');
    const { now } = line;
    await nextTurn();
    context.mock.timers.tick(4000);
    await nextTurn();
    assert.deepEqual(await line.next(0, never), { type: 'ended', by: 'customer' });
    assert.equal(line.now, now);
    assert.equal(transcribed[0]?.signal.aborted, true);
  });

  it('ends when its connection is lost while it speaks', async () => {
    const { line, peer } = createLine();
    peer.holdMarksFrom = 1;
    const saying = line.say(stream('One two. '), 60, never);
    await peer.held.promise;
    peer.close();
    assert.equal((await saying).cutOffBy, 'end');
    assert.deepEqual(await line.next(5, never), { type: 'ended', by: 'connection' });
  });
});

describe('a spoken text', () => {
  it('does not count paused time as heard', () => {
    let now = 0;
    const text = new HeardText(() => now);
    const sentence = text.add('one two three four five six seven eight nine ten');
    Object.assign(sentence, { seconds: 10, startedAt: 0 });
    now = 2.5;
    text.pause();
    now = 60;
    text.resume();
    now = 61;
    text.pause();
    now = 100;
    text.cutOff('customer');
    // 3.5 of 10 seconds.
    assert.equal(text.result('customer').played, 'one two three');
  });
});

describe('the heard part of a sentence whose audio is not complete', () => {
  it('is estimated by the length of its text', () => {
    let now = 0;
    const text = new HeardText(() => now);
    const sentence = text.add('We are open from Monday to Friday, and our address is 12 Long Street.');
    Object.assign(sentence, { seconds: 1.2, startedAt: 0 });
    now = 1;
    text.cutOff('customer');
    assert.equal(text.result('customer').played, 'We are open');
  });

  it('is estimated by the speed of the speech, too', () => {
    let now = 0;
    const text = new HeardText(() => now);
    const sentence = text.add('We are open from Monday to Friday, and our address is 12 Long Street.', 2);
    Object.assign(sentence, { seconds: 1.2, startedAt: 0 });
    now = 0.5;
    text.cutOff('customer');
    assert.equal(text.result('customer').played, 'We are open');
  });

  it('is not longer than the audio so far', () => {
    let now = 0;
    const text = new HeardText(() => now);
    const sentence = text.add('We are open from Monday to Friday, and our address is 12 Long Street.');
    Object.assign(sentence, { seconds: 1.2, startedAt: 0 });
    now = 30;
    assert.equal(text.playedSeconds, 1.2);
    text.cutOff('customer');
    assert.equal(text.result('customer').played, 'We are open from');
  });

  it('is known once the audio is complete', () => {
    let now = 0;
    const text = new HeardText(() => now);
    const sentence = text.add('We are open from Monday to Friday.');
    Object.assign(sentence, { seconds: 1, startedAt: 0, isComplete: true });
    now = 0.49;
    text.cutOff('customer');
    assert.equal(text.result('customer').played, 'We are open from');
  });
});

describe('the heard part of a text without spaces', () => {
  it('ends at a word', () => {
    let now = 0;
    const text = new HeardText(() => now);
    Object.assign(text.add('请等一下我想问一个问题'), { seconds: 11, startedAt: 0 });
    // Within the third word.
    now = 3;
    text.cutOff('customer');
    assert.equal(text.result('customer').played, '请等');
  });
});

describe('the number of words', () => {
  for (const [text, words] of [
    ['', 0],
    ['Please wait, it’s 3.50!', 4],
    ['请等一下', 3],
    ['ちょっと待ってください。', 4],
    ['ขอโทษนะครับ', 3],
  ] as const)
    it(`of “${text}” is at least ${String(words)}`, () => {
      assert(countWords(text) >= words, String(countWords(text)));
    });

  it('of speech that was not understood is one', () => {
    assert.equal(countWords('…'), 1);
  });

  it('of punctuation is zero', () => {
    assert.equal(countWords(' . ? '), 0);
  });
});

describe('the turn detector', () => {
  it('ignores clicks and constant noise', () => {
    const turns = new TurnDetector(rate, { pause: 0.5, shortest: 0.12 });
    assert.equal(turns.detect(hum(2)), undefined);
    assert.equal(turns.detect(tone(0.06)), undefined);
    assert.equal(turns.detect(hum(1)), undefined);
  });

  it('keeps a sentence together over a short pause', () => {
    const turns = new TurnDetector(rate, { pause: 0.8, shortest: 0.12 });
    turns.detect(hum(1));
    turns.detect(tone(0.5));
    assert.notEqual(turns.detect(hum(0.4))?.type, 'ended');
    turns.detect(tone(0.5));
    const event = turns.detect(hum(0.9));
    assert(event?.type === 'ended');
    assert(Math.abs(event.utterance().seconds - 1.4) < 0.1);
  });
});

describe('speech that is too long for one utterance', () => {
  it('is divided without repeating a part', () => {
    const turns = new TurnDetector(rate, { pause: 0.8, shortest: 0.12 });
    const frame = rate / 50;
    const utterances: Int16Array[] = [];
    const speech = tone(61);
    const keep = (event: ReturnType<TurnDetector['end']>) => {
      if (event?.type === 'ended') utterances.push(event.utterance().samples);
    };
    for (let at = 0; at < speech.length; at += frame) keep(turns.detect(speech.subarray(at, at + frame)));
    keep(turns.end());
    const lengths = utterances.map(({ length }) => length);
    assert.equal(lengths.length, 2);
    assert.equal(
      lengths.reduce((sum, length) => sum + length),
      speech.length,
    );
  });
});

describe('audio conversion', () => {
  it('reads a WAV file that arrives in chunks of any size', async () => {
    const samples = tone(0.1);
    const file = encodeWav(samples, rate);
    const chunks = Array.from({ length: Math.ceil(file.length / 7) }, (_, index) =>
      file.subarray(index * 7, index * 7 + 7),
    );
    const read: number[] = [];
    for await (const part of decodeWav(stream(...chunks))) read.push(...part.samples);
    assert.deepEqual(read, Array.from(samples));
  });

  it('ends with the samples, although another chunk follows them', async () => {
    const samples = tone(0.1);
    const list = Buffer.from('LIST\x04\0\0\0INFO', 'latin1');
    const read: number[] = [];
    for await (const part of decodeWav(stream(encodeWav(samples, rate), list))) read.push(...part.samples);
    assert.deepEqual(read, Array.from(samples));
  });

  for (const length of [0, 0x7fff_f000, 0xffff_ffff])
    it(`reads all samples of a stream whose header contains the length ${String(length)}`, async () => {
      const samples = tone(0.1);
      const file = encodeWav(samples, rate);
      file.writeUInt32LE(length, wavHeaderLength - 4);
      const read: number[] = [];
      for await (const part of decodeWav(stream(file))) read.push(...part.samples);
      assert.deepEqual(read, Array.from(samples));
    });

  it('rejects a file that is not WAV', async () => {
    const reading = decodeWav(stream(Buffer.from('ID3 this is no WAV file'))).next();
    await assert.rejects(reading, { message: 'The audio is not a WAV file.' });
  });

  it('keeps speech and removes frequencies that the lower sample rate cannot represent', () => {
    for (const [hertz, share] of [
      [440, 1],
      [7000, 0],
    ] as const) {
      const resampler = new Resampler(24_000, rate);
      const chunks = [tone(0.5, hertz, 24_000), tone(0.5, hertz, 24_000)];
      const result = chunks.flatMap((chunk) => Array.from(resampler.convert(chunk)));
      result.push(...resampler.end());
      assert(Math.abs(result.length - rate) < 3, String(result.length));
      const middle = result.slice(1000, 3000);
      const loudness = Math.sqrt(middle.reduce((sum, sample) => sum + sample ** 2, 0) / middle.length);
      assert(Math.abs(loudness / (8000 / Math.SQRT2) - share) < 0.05, String(loudness));
    }
  });

  it('splits a text into sentences without losing a character', async () => {
    const found: string[] = [];
    for await (const sentence of sentences(stream('It costs 3.', '50 euros. Fine? ', 'Yes'), 'en'))
      found.push(sentence);
    assert.deepEqual(found, ['It costs 3.50 euros. ', 'Fine? ', 'Yes']);
  });

  for (const [language, text] of [
    ['en', '1. Ask for Dr. Miller or Mr. J. Smith. '],
    ['de', 'Wir liefern bis zum 24. Dezember, z. B. in die Goethestr. 120. '],
    ['es', 'La Sra. García vive en la Av. Colón. '],
  ] as const)
    it(`does not end a sentence at an abbreviation or ordinal number, in "${language}"`, async () => {
      const found: string[] = [];
      for await (const sentence of sentences(stream(...text.split(/(?<= )/), 'Ok.'), language))
        found.push(sentence);
      assert.deepEqual(found, [text, 'Ok.']);
    });

  it('ends a sentence at the end of a line, also after an abbreviation', async () => {
    const found: string[] = [];
    for await (const sentence of sentences(stream('We have plan B.\nOpen at 9.\nThen'), 'en'))
      found.push(sentence);
    assert.deepEqual(found, ['We have plan B.\n', 'Open at 9.\n', 'Then']);
  });

  it('does not split a number whose second half arrives late', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    async function* late() {
      yield 'It costs 3.';
      await nextTurn();
      context.mock.timers.tick(10_000);
      await nextTurn();
      yield '50 euros.';
    }
    const found: string[] = [];
    for await (const sentence of sentences(late(), 'en')) found.push(sentence);
    assert.deepEqual(found, ['It costs 3.50 euros.']);
  });
});

function createLine({
  allowInterruptions = true,
  minInterruptWords = 0,
  otherLanguages = [],
  sound = Promise.resolve(tone(1)),
  isPaced = false,
  understood = 'Understood.',
  unfinished = '',
  unspeakable,
  detects,
}: {
  allowInterruptions?: boolean;
  minInterruptWords?: number;
  isPaced?: boolean;
  otherLanguages?: readonly string[];
  sound?: Promise<Int16Array>;
  understood?: string | Promise<string> | (() => string | Promise<string>);
  /** The provisional text of unfinished speech. */
  unfinished?: string | Promise<string>;
  /** A sentence with which the voice fails. */
  unspeakable?: string;
  detects?: Transcriber['detects'];
} = {}) {
  const peer = new MemoryPeer(rate, { isPaced });
  const events: string[] = [];
  const spoken: string[] = [];
  const languages: (string | undefined)[] = [];
  /** Seconds of each utterance that was transcribed before its end. */
  const provisional: number[] = [];
  /** Seconds of each speech that was transcribed as all that the customer says, and how the line waits for it. */
  const transcribed: { seconds: number; signal: AbortSignal }[] = [];
  const speech: Synthesizer & Transcriber = {
    ...(detects && { detects }),
    transcribe: (samples, _rate, language, signal) => {
      languages.push(language);
      transcribed.push({ seconds: samples.length / rate, signal });
      return Promise.resolve(typeof understood === 'function' ? understood() : understood);
    },
    transcribeSoFar: (samples) => {
      provisional.push(samples.length / rate);
      return Promise.resolve(unfinished);
    },
    async *speak(text) {
      spoken.push(text);
      if (text === unspeakable) throw new Error('The voice failed.');
      yield await sound;
    },
  };
  const line = new VoiceLine({
    ...{ peer, synthesizer: speech, transcriber: speech },
    settings: { ...speechSettings, otherLanguages, allowInterruptions, minInterruptWords },
    control: { sendDigits: () => Promise.resolve(), end: () => Promise.resolve() },
    log: pino({ level: 'silent' }),
    listener: {
      onCustomerSpeaking: () => events.push('speaking'),
      onCustomerPaused: () => events.push('paused'),
      onProvisional: (text) => events.push(`provisional: ${text}`),
      onCustomerSaid: (text) => events.push(`said: ${text}`),
      onAssistantSaying: (text) => events.push(`saying: ${text}`),
      onAssistantPaused: () => events.push('assistant paused'),
      onAssistantResumed: () => events.push('assistant resumed'),
      onAssistantSaid: (heard) => events.push(`heard: ${heard}`),
    },
  });
  return { line, peer, spoken, languages, provisional, transcribed, events };
}

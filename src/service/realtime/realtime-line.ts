import type { Logger } from 'pino';
import { AudioLine } from '../voice/audio-line.ts';
import type { LineControl } from '../voice/audio-line.ts';
import type { AudioPeer } from '../voice/audio-peer.ts';
import { countWords } from '../voice/words.ts';
import type { SpeechSettings, Spoken } from '../voice/line.ts';
import type { Synthesizer } from '../voice/synthesizer.ts';
import type { HeardText } from '../voice/heard-text.ts';
import type { SpeechListener } from '../voice/speech-listener.ts';
import { Resampler } from '../voice/resampler.ts';
import type { Speaker, SpeakerOptions } from '../voice/line.ts';
import type { RealtimeReply, SpokenResponse } from './realtime-reply.ts';
import { RealtimeSession, realtimeRate } from './realtime-session.ts';
import type { RealtimeEndpoint } from '../engine/read-models.ts';
import { RealtimeSpeaker } from './realtime-speaker.ts';
import type { CustomerSpeechListener } from './customer-turns.ts';
import { synthesisSettings } from '../voice/synthesis-settings.ts';
import { sessionSettings } from './session-settings.ts';

export interface RealtimeLineOptions {
  peer: AudioPeer;
  settings: SpeechSettings;
  endpoint: RealtimeEndpoint;
  /** The model that transcribes the customer, at the same endpoint. */
  transcriptionModel: string;
  /** Speaks the model's text in the mode `dualplex`; undefined if the model itself speaks. */
  voice?: Synthesizer | undefined;
  control: LineControl;
  log: Logger;
  listener?: SpeechListener | undefined;
}

/** A call whose customer talks to a realtime model. The audio of both passes through this process. */
export class RealtimeLine extends AudioLine implements CustomerSpeechListener {
  readonly #options: RealtimeLineOptions;
  readonly #settings: SpeechSettings;
  readonly #input: Resampler;
  #speaker: RealtimeSpeaker | undefined;
  #isGreetingDue = false;

  constructor(options: RealtimeLineOptions) {
    const { peer, control, settings, listener } = options;
    super({ peer, control, ambientSound: settings.ambientSound, listener });
    this.#options = options;
    this.#settings = settings;
    this.#input = new Resampler(peer.rate, realtimeRate);
    this.peer.open(this);
  }

  async openSpeaker(options: SpeakerOptions): Promise<Speaker> {
    const { endpoint, settings: speech, transcriptionModel, log } = this.#options;
    const { instructions, tools, isGreetingDue = false } = options;
    this.#isGreetingDue = isGreetingDue;
    const writes = this.#options.voice !== undefined;
    const settings = sessionSettings({ instructions, tools, speech, transcriptionModel, writes });
    const session = await RealtimeSession.open(endpoint, settings, log);
    this.#speaker = new RealtimeSpeaker({
      session,
      model: endpoint.model,
      transcriptionModel,
      options,
      listener: this,
      log,
    });
    if (this.hasEnded) session.close();
    return this.#speaker;
  }

  say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    return this.output.say(
      async (spoken, stopped) => {
        const speaker = this.#speaker;
        if (!speaker) throw new Error('The line has no model yet.');
        if (this.hasEnded) this.output.cutOff('end');
        const { voice } = this.#options;
        const reply = speaker.takeReply();
        // Re-engagement, which the model generates, may precede the greeting.
        if (!reply) this.#isGreetingDue = false;
        if (voice) {
          const settings = synthesisSettings(this.#settings);
          const synthesize = (sentence: string) => voice.speak(sentence, settings, this.peer.rate, stopped);
          if (reply)
            void spoken.over.then((cutOffBy) => {
              if (cutOffBy !== undefined) speaker.stopText(reply, spoken.result(cutOffBy).played);
            });
          await this.output.speakSentences(text, settings, synthesize, spoken, stopped);
          await spoken.over;
          if (!reply) speaker.addAssistantMessage(spoken.result(undefined).played);
        } else if (reply) {
          await Promise.all([this.#play(reply, speaker, spoken), drain(text, spoken)]);
        } else {
          // The model did not generate this text, so it has to speak it verbatim.
          await this.#play(speaker.sayVerbatim(await join(text)), speaker, spoken);
        }
      },
      seconds,
      signal,
    );
  }

  protected override pushLastWords(): Promise<void> | undefined {
    return this.#speaker?.finishTurns();
  }

  protected release(): void {
    this.#speaker?.close();
  }

  onAudio(samples: Int16Array): void {
    if (this.hasEnded) return;
    this.#waitForWords();
    const { isAudible, isPaused } = this.output;
    // If interruptions are off, the audio is dropped, so that echo does not count as speech.
    if (isAudible && !isPaused && !this.#settings.allowInterruptions) return;
    this.#speaker?.appendAudio(this.#input.convert(samples));
  }

  onSpeech(): void {
    this.setCustomerSpeaking(true);
    this.#waitForWords();
  }

  /** Until the transcript is known, the assistant does not talk over the customer. */
  #waitForWords(): void {
    if (this.#settings.minInterruptWords > 0) return;
    if (this.#speaker?.isListening === true) this.output.pause();
    else this.output.resume();
  }

  onPause(): void {
    this.setCustomerSpeaking(false);
  }

  canAnswerNow(): boolean {
    return this.output.spoken === undefined && !this.#isGreetingDue && !this.hasEnded;
  }

  onTranscript(text: string, seconds: number): boolean {
    const isCounted = this.#isCounted(text);
    this.listener?.onCustomerSaid(isCounted ? text : '');
    if (!isCounted) {
      this.#waitForWords();
      return false;
    }
    this.output.cutOff('customer');
    this.events.push({ type: 'said', text, seconds, endedAt: this.customerSpokeAt ?? this.now });
    return true;
  }

  /** Whether an utterance counts: while the assistant can be heard, it must be allowed to interrupt. */
  #isCounted(text: string): boolean {
    if (text === '') return false;
    const { isAudible, isPaused } = this.output;
    if (!isAudible || isPaused) return true;
    return this.#settings.allowInterruptions && countWords(text) >= this.#settings.minInterruptWords;
  }

  async #play(reply: RealtimeReply, speaker: RealtimeSpeaker, spoken: HeardText): Promise<void> {
    void spoken.over.then((cutOffBy) => {
      if (cutOffBy !== undefined) speaker.stopSpeech(reply, spoken.playedSeconds);
    });
    // A function may run between two responses, so each is a sentence of its own.
    for await (const response of reply.responses) {
      await this.#playResponse(response, spoken);
      if (spoken.isOver) return;
    }
    this.output.mark(() => {
      spoken.end();
    });
  }

  async #playResponse(response: SpokenResponse, spoken: HeardText): Promise<void> {
    const { listener } = this;
    const output = new Resampler(realtimeRate, this.peer.rate);
    const sentence = spoken.add('');
    let shown = 0;
    const show = () => {
      sentence.text = response.text;
      if (response.text.length > shown) listener?.onAssistantSaying(response.text.slice(shown));
      shown = response.text.length;
    };
    for await (const samples of response.audio) {
      if (spoken.isOver) return;
      if (sentence.seconds === 0) {
        this.output.mark(() => {
          sentence.startedAt = this.now;
          show();
        });
      }
      sentence.text = response.text;
      sentence.seconds += samples.length / realtimeRate;
      if (sentence.startedAt !== undefined) show();
      this.peer.play(output.convert(samples));
    }
    sentence.isComplete = true;
    if (spoken.isOver) return;
    this.peer.play(output.end());
    this.output.mark(() => {
      sentence.startedAt ??= this.now;
      sentence.isPlayed = true;
      show();
    });
  }
}

async function join(text: AsyncIterable<string>): Promise<string> {
  let joined = '';
  for await (const part of text) joined += part;
  return joined;
}

/** Reads a text whose audio is played separately: until its end, the model may call functions. */
async function drain(text: AsyncIterable<string>, spoken: HeardText): Promise<void> {
  const parts = text[Symbol.asyncIterator]();
  for (;;) {
    const result = await Promise.race([parts.next(), spoken.over]);
    if (spoken.isOver || typeof result !== 'object' || result.done === true) {
      parts.return?.(undefined).catch(() => undefined);
      return;
    }
  }
}

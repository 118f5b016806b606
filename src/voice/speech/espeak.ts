import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { SynthesisSettings } from '../../service/voice/synthesizer.ts';
import { decodeWav } from '../../service/voice/wav.ts';
import { chooseEspeakVoice, hasEspeakVoice, readEspeakVoices } from './espeak-voices.ts';
import type { EspeakVoices, WantedVoice } from './espeak-voices.ts';

const program = 'espeak-ng';
const normalWordsPerMinute = 165;
/** Speaks about a hundred languages with the installed program espeak-ng, in a robotic voice. */
export class Espeak {
  readonly #voices: EspeakVoices;

  constructor(voices: EspeakVoices) {
    this.#voices = voices;
  }

  /** Returns undefined if the program is not installed. */
  static async find(): Promise<Espeak | undefined> {
    const list = async (option: string) =>
      (await promisify(execFile)(program, [option], { timeout: 10_000 })).stdout;
    try {
      const [languages, variants] = await Promise.all([list('--voices'), list('--voices=variant')]);
      return new Espeak(readEspeakVoices(languages, variants));
    } catch {
      return undefined;
    }
  }

  speaks(language: string): boolean {
    return chooseEspeakVoice(this.#voices, language, {}) !== undefined;
  }

  hasVoice(name: string, language: string): boolean {
    return hasEspeakVoice(this.#voices, name, language);
  }

  async *speak(
    text: string,
    { language, speed, ...wanted }: WantedVoice & Pick<SynthesisSettings, 'language' | 'speed'>,
    signal: AbortSignal,
  ): AsyncGenerator<{ rate: number; samples: Int16Array }> {
    const words = Math.round(Math.max(80, Math.min(450, normalWordsPerMinute * speed)));
    const voice = chooseEspeakVoice(this.#voices, language, wanted) ?? 'en';
    const args = ['-v', voice, '-s', String(words), '--stdin', '--stdout'];
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], signal, timeout: 30_000 });
    // Errors of the process (it was stopped, or cannot start) also end its output.
    const failure = new Promise<Error | undefined>((resolve) => {
      child.on('error', resolve);
      child.on('close', () => {
        resolve(undefined);
      });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
    try {
      yield* decodeWav(child.stdout);
    } catch (error) {
      throw (await failure) ?? error;
    } finally {
      child.kill('SIGKILL');
    }
  }
}

import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { decodeWav } from '../../service/voice/wav.ts';

const program = 'espeak-ng';
const normalWordsPerMinute = 165;
/** Languages that the program lists under another code. */
const names: Readonly<Record<string, string>> = { zh: 'cmn', no: 'nb', en: 'en-us', pt: 'pt-br' };

/** Speaks about a hundred languages with the installed program espeak-ng, in a robotic voice. */
export class Espeak {
  readonly #languages: ReadonlySet<string>;

  constructor(languages: ReadonlySet<string>) {
    this.#languages = languages;
  }

  /** Returns undefined if the program is not installed. */
  static async find(): Promise<Espeak | undefined> {
    try {
      const { stdout } = await promisify(execFile)(program, ['--voices'], { timeout: 10_000 });
      const languages = stdout
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/)[1] ?? '');
      return new Espeak(new Set(languages));
    } catch {
      return undefined;
    }
  }

  speaks(language: string): boolean {
    return this.#nameOf(language) !== undefined;
  }

  async *speak(
    text: string,
    language: string,
    speed: number,
    signal: AbortSignal,
  ): AsyncGenerator<{ rate: number; samples: Int16Array }> {
    const words = Math.round(Math.max(80, Math.min(450, normalWordsPerMinute * speed)));
    const args = ['-v', this.#nameOf(language) ?? 'en', '-s', String(words), '--stdin', '--stdout'];
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

  #nameOf(language: string): string | undefined {
    const name = names[language] ?? language;
    return this.#languages.has(name) ? name : this.#languages.has(language) ? language : undefined;
  }
}

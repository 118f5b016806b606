import { chromium, firefox } from 'playwright';
import type { Browser, BrowserContext, Locator, Page } from 'playwright';
import { findEngines } from '../browser/browsers.ts';
import type { Engine } from '../browser/browsers.ts';
import { installSound } from './page-sound.ts';
import type { Level } from './page-sound.ts';
import type { Recording } from './recording.ts';
import { openPage } from '../browser/open-page.ts';
import { eventually } from '../eventually.ts';
import type { VoiceAssistantChat } from '../../../src/widget/voice-assistant-chat.ts';

/** An engine that can make calls: Debian's WebKit is built without WebRTC. */
export type CallEngine = Exclude<Engine, { name: 'webkit' }>;

export const callEngines = (): CallEngine[] => findEngines().filter((engine) => engine.name !== 'webkit');

/**
 * Starts a browser with the settings that visitors have, such as those for autoplay.
 *
 * @param preferences of Firefox.
 */
export function launch(
  { name, ...options }: CallEngine,
  preferences: Record<string, boolean> = {},
): Promise<Browser> {
  if (name === 'chromium') return chromium.launch(options);
  // Without a sound card, Firefox processes audio only with a mock device.
  const firefoxUserPrefs = { 'media.cubeb.force_mock_context': true, ...preferences };
  return firefox.launch({ ...options, firefoxUserPrefs });
}

/** Audio above this level is speech, as RMS of full scale. */
export const audible = 0.005;
/** Silence after which the assistant has finished, in milliseconds. Pauses between sentences are shorter. */
const pauseInSpeech = 1000;

/** Longest wait in milliseconds: a busy machine takes seconds to transcribe a sentence. */
const timeout = 60_000;

/** A page with the chat whose visitor talks by recordings. */
export class VisitorPage {
  readonly page: Page;
  /** Uncaught errors, errors of the console, and violations of the page's policy. */
  readonly errors: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
  }

  /** Loads a page in a tab of a browser's context, and opens its chat. */
  static async open(context: BrowserContext, url: string): Promise<VisitorPage> {
    const visitor = new VisitorPage(await context.newPage());
    await visitor.page.addInitScript(`(${String(installSound)})()`);
    await openPage(visitor.page, url);
    await visitor.openChat();
    return visitor;
  }

  async openChat(): Promise<void> {
    await this.part('launcher').click();
    // A chat that was open before the reload opens by itself, so the click may have closed it.
    await this.page.evaluate(() => {
      document.querySelector<VoiceAssistantChat>('voice-assistant-chat')?.show();
    });
    await this.part('message-assistant').first().waitFor();
  }

  /** Calls, and waits until the line is open. */
  async call(): Promise<void> {
    await this.part('call-button').click();
    await this.until('listening', 'speaking');
  }

  /** Calls, and listens to the greeting. */
  async callAndListen(): Promise<void> {
    const start = Date.now();
    await this.call();
    await this.heard(start);
    await this.until('listening');
  }

  part(name: string): Locator {
    return this.page.locator(`[part~="${name}"]`);
  }

  /** Waits until the call is in one of these states. */
  async until(...states: string[]): Promise<void> {
    const selector = states.map((state) => `[part="call"][data-state="${state}"]`).join(', ');
    await this.page.locator(selector).waitFor({ timeout });
  }

  /** The call's state in words. */
  async label(): Promise<string> {
    return (await this.page.locator('.call-state').innerText()).trim();
  }

  /** The texts of both sides, as in `user: Hello`. */
  messages(): Promise<string[]> {
    return this.page.locator('[part~="message"]').evaluateAll((elements) =>
      elements.map((element) => {
        const role = element.part.contains('message-user') ? 'user' : 'assistant';
        const { innerText, textContent } = element.lastElementChild as HTMLElement;
        return `${role}: ${(innerText || textContent).trim()}`;
      }),
    );
  }

  /** Says a recording. Returns when its speech begins and ends. */
  say({ samples, rate }: Recording): Promise<{ start: number; end: number }> {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');
    return this.page.evaluate(([sound, hertz]) => window.visitorSound.say(sound, hertz), [
      bytes,
      rate,
    ] as const);
  }

  /** How loud the assistant was since a time, as the page received it. */
  levels(since: number): Promise<Level[]> {
    return this.page.evaluate((from) => window.visitorSound.levels.filter(([at]) => at >= from), since);
  }

  /** Waits until the assistant can be heard after a time. Returns the time at which it starts. */
  async heard(since: number): Promise<number> {
    return eventually('the assistant to be heard', async () => {
      const [first] = (await this.levels(since)).filter(([, level]) => level > audible);
      return first?.[0];
    });
  }

  /** Waits until the assistant has been silent for a while after a time. Returns the start of the silence. */
  async silent(since: number): Promise<number> {
    return eventually('the assistant to be silent', async () => {
      const levels = await this.levels(since);
      const last = levels.findLast(([, level]) => level > audible)?.[0] ?? since;
      return (levels.at(-1)?.[0] ?? 0) - last > pauseInSpeech ? last : undefined;
    });
  }

  /** Sends a text. */
  async write(text: string): Promise<void> {
    await this.part('composer-input').fill(text);
    await this.part('composer-input').press('Enter');
  }

  /** Waits until a message matches. Returns its text. */
  async message(pattern: RegExp): Promise<string> {
    let all: string[] = [];
    return eventually(
      () => `a message that matches ${String(pattern)}, among: ${all.join(' | ')}`,
      async () => {
        all = await this.messages();
        return all.findLast((text) => pattern.test(text));
      },
    );
  }
}

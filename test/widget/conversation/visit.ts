import { ConversationClient, type ChatClientOptions } from '../../../src/client/conversation-client.ts';
import { VisitStorage, type BrowserStorage } from '../../../src/widget/conversation/storage/visit-storage.ts';
import { ConversationStore } from '../../../src/widget/conversation/storage/conversation-store.ts';
import { PendingDeletions } from '../../../src/widget/conversation/storage/pending-deletions.ts';
import type { TabSource } from '../../../src/widget/conversation/tabs/tab-channel.ts';
import { Conversation } from '../../../src/widget/conversation/conversation.ts';
import { newKey } from '../../../src/widget/conversation/sending/new-key.ts';
import type { SessionRequest } from '../../../src/widget/conversation/history/request-conversation.ts';
import type { Problem } from '../../../src/widget/conversation/problem.ts';
import type { ChatServer } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';

const hour = 3_600_000;

// Node has no window, whose event tells that the browser is online again.
const page = new EventTarget();
Object.assign(globalThis, { addEventListener: page.addEventListener.bind(page) });

const request: SessionRequest = {
  assistantId: 'b7f0a2d4-6c1e-4a52-9f3b-2f6f8e0c1d11',
  setupProblem: undefined,
  type: 'widget',
  variables: undefined,
};

export interface VisitOptions {
  readonly request?: Partial<SessionRequest>;
  readonly answerTimeout?: number;
  /** The channel to other pages of the same browser. */
  readonly tabs?: TabSource | undefined;
}

/** The storage of a browser between visits. */
export class Browser {
  readonly kept = new Map<string, string>();
  isOnline = true;
  readonly #visits: Visit[] = [];
  now = (): number => Date.now();

  get pending(): string[] {
    return new ConversationStore(new VisitStorage(this.#storage), 'test')
      .read()
      .pending.map(({ text }) => text);
  }

  readonly #storage = {
    getItem: (key: string) => this.kept.get(key) ?? null,
    setItem: (key: string, value: string) => void this.kept.set(key, value),
    removeItem: (key: string) => void this.kept.delete(key),
  };

  /** Loads the page, which has only the stored state. */
  visit(server: Pick<ChatServer, 'url'>, options: VisitOptions = {}): Visit {
    const visit = new Visit(this, this.#storage, server, options);
    this.#visits.push(visit);
    return visit;
  }

  /** Closes all pages. */
  close(): void {
    for (const visit of this.#visits.splice(0)) if (!visit.isGone) visit.goAway();
  }
}

/** One page with its conversation and its events. */
export class Visit {
  readonly conversation: Conversation;
  /** The events, in order. */
  readonly events: string[] = [];
  readonly problems: Problem[] = [];
  /** Called after each change of the snapshot. */
  onChange: (() => void) | undefined;
  readonly #gone = new AbortController();

  constructor(
    browser: Browser,
    browserStorage: BrowserStorage | undefined,
    server: Pick<ChatServer, 'url'>,
    { request: differing = {}, answerTimeout = hour, tabs }: VisitOptions,
  ) {
    const { signal } = this.#gone;
    // A closed page writes and reports nothing.
    const ifAlive = <Args extends unknown[]>(act: (...args: Args) => void) => {
      return (...args: Args): void => {
        if (!signal.aborted) act(...args);
      };
    };
    const storage = new VisitStorage(browserStorage);
    const store = new ConversationStore(storage, 'test', undefined, () => browser.now());
    const write = store.write.bind(store);
    store.write = (kept) => !signal.aborted && write(kept);
    const loadMessaging = () => import('../../../src/widget/conversation/messaging-exports.ts');
    const client = new PageClient({ baseUrl: server.url, timeout: hour, answerTimeout }, signal);
    this.conversation = new Conversation(
      {
        client,
        store,
        pendingDeletions: new PendingDeletions(client, () => browserStorage, server.url, loadMessaging),
        now: () => browser.now(),
        isOnline: () => browser.isOnline,
        newKey,
        loadMessaging,
        idle: () => Promise.resolve(),
        tabs,
      },
      () => ({ ...request, ...differing }),
      {
        onChange: ifAlive(() => this.onChange?.()),
        onReady: ifAlive((_id: string, resumed: boolean) => this.events.push(resumed ? 'resumed' : 'opened')),
        onSent: ifAlive((text: string) => this.events.push(`sent ${text}`)),
        onAnswer: ifAlive((text?: string) => this.events.push(`answer ${text ?? 'elsewhere'}`)),
        onProblem: ifAlive((problem: Problem) => {
          this.problems.push(problem);
          this.events.push(`problem ${problem.code}`);
        }),
      },
    );
  }

  /** Closes the page as browsers do: its connections end, and nothing of it runs. */
  goAway(): void {
    this.#gone.abort();
    this.conversation.leave();
    this.conversation.disconnect();
  }

  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  /** The messages with their roles, as the visitor sees them. */
  get log(): string[] {
    return this.conversation.snapshot.messages.map(({ role, text }) => `${role}: ${text}`);
  }

  /** The visitor's messages with their status. */
  get states(): string[] {
    return this.conversation.snapshot.messages
      .filter(({ role }) => role === 'user')
      .map(({ text, status }) => `${text} ${status}`);
  }

  /** Waits until every message is answered or has a problem. */
  settled(everyTurn?: () => void): Promise<void> {
    return until(() => this.isSettled, everyTurn);
  }

  get isSettled(): boolean {
    const { status, messages } = this.conversation.snapshot;
    if (status === 'failed' || status === 'ended') return true;
    if (status !== 'ready') return false;
    return (
      messages.every(({ status }) => status !== 'queued' && status !== 'sending') ||
      messages.some(({ status }) => status === 'failed')
    );
  }
}

/** A client whose requests end with the page. */
class PageClient extends ConversationClient {
  readonly #page: AbortSignal;

  constructor(options: ChatClientOptions, page: AbortSignal) {
    super(options);
    this.#page = page;
  }

  override request<Result>(...[endpoint, call, read, timeout]: Parameters<ConversationClient['request']>) {
    const signals = call.signal === undefined ? [this.#page] : [this.#page, call.signal];
    const signal = call.keepalive ? call.signal : AbortSignal.any(signals);
    return super.request(endpoint, { ...call, signal }, read, timeout) as Promise<Result>;
  }
}

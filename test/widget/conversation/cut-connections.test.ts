import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { answerTo, ChatServer } from '../../support/servers/chat-server.ts';
import { isExhaustive } from '../../support/exhaustive.ts';
import { until } from '../../support/until.ts';
import { WireTap, type Cut, type Exchange, type Held, type Way } from './wire-tap.ts';
import { serviceVariants } from './service-variants.ts';
import { Browser, type Visit } from './visit.ts';

/*
 * A visit is recorded once undisturbed, and then repeated for each point at which the connection can break, with the
 * connection cut exactly there. Points are before a request arrives, between its arrival and the
 * first byte of the response, after each chunk that the service writes, after each byte of a stream's first event, and
 * after every `stride`-th byte between. A quarter of all combinations runs by default, chosen so that each two of
 * service, history and way meet once; `npm test -- exhaustive` runs all of them, with every byte.
 */

const stride = isExhaustive ? 1 : 97;

/** Milliseconds by which a request in flight is delayed when the page closes. */
const lateness = 1500;

const ways: Record<string, Way> = {
  'the page stays open': { reloads: false, late: false },
  'the page stays open while the service still writes': { reloads: false, late: true },
  'the page reloads at once': { reloads: true, late: false },
  'the page reloads while the service still writes': { reloads: true, late: true },
};

/** The state of the first message before the cut. */
const histories: Record<string, (Way & { readonly isLost?: true }) | undefined> = {
  'in an undisturbed visit': undefined,
  'after the first message was lost': { reloads: false, late: false, isLost: true },
  'after the connection broke within the first answer': { reloads: false, late: false },
  'after the page reloaded within the first answer': { reloads: true, late: true },
};

/** Both messages have the same text, and must not be confused. */
const texts = ['Yes', 'Yes'];
const wanted = [
  'assistant: Hello!',
  ...texts.flatMap((text) => [`user: ${text}`, `assistant: ${answerTo(text)}`]),
];

// Mocked for the whole file: clearing a mocked timer of an earlier test would clear another one.
before(async () => {
  // Loads lazy modules before the first visit.
  await import('../../../src/widget/conversation/messaging-exports.ts');
  mock.timers.enable({ apis: ['setTimeout'] });
});
after(() => {
  mock.timers.reset();
});

/** A visitor who writes two messages, the second while the first is answered, and tries again whatever fails. */
class Visitor {
  readonly #browser = new Browser();
  readonly #server: ChatServer;
  readonly #wire: WireTap;
  #now = 1_000_000;
  #page: Visit;
  #written = 0;
  #tries = 0;
  #quietTurns = 0;
  #reloads = 0;
  /** When a delayed request is resumed. */
  readonly #due = new Map<Held, number>();
  /** Messages that were shown wrongly. */
  readonly wrong = new Set<string>();

  constructor(server: ChatServer, wire: WireTap) {
    this.#server = server;
    this.#wire = wire;
    this.#browser.now = () => this.#now;
    this.#page = this.#load();
  }

  /** Finishes the visit with everything answered. */
  async comeToEnd(): Promise<void> {
    await until(
      () => this.#isAtEnd,
      () => {
        this.#turn();
      },
    );
    assert.deepEqual(this.#browser.pending, []);
  }

  get page(): Visit {
    return this.#page;
  }

  get #isAtEnd(): boolean {
    const { status } = this.#page.conversation.snapshot;
    const isQuiet = this.#server.active === 0 && this.#wire.held.size === 0;
    return (
      isQuiet &&
      status === 'ready' &&
      this.#page.isSettled &&
      this.#written === texts.length &&
      !this.#hasFailed
    );
  }

  get #hasFailed(): boolean {
    const { status, messages } = this.#page.conversation.snapshot;
    return status === 'failed' || messages.some(({ status }) => status === 'failed');
  }

  #load(): Visit {
    const page = this.#browser.visit(this.#server);
    page.onChange = () => {
      const { messages } = page.conversation.snapshot;
      const own = messages.filter(({ role }) => role === 'user').length;
      if (own > this.#written || messages.length - own > this.#written + 1)
        this.wrong.add(page.log.join(', '));
    };
    void page.conversation.open();
    return page;
  }

  #turn(): void {
    this.#write();
    const isQuiet = this.#server.active <= this.#wire.held.size;
    this.#quietTurns = isQuiet ? this.#quietTurns + 1 : 0;
    const { made, held } = this.#wire;
    const isReloadDue = made.filter(({ reloads }) => reloads).length > this.#reloads;
    // It has received everything by then.
    if (isReloadDue && this.#quietTurns > 8) this.#reload();
    for (const one of held)
      if (made.includes(one.cut) && !isReloadDue && !this.#due.has(one))
        this.#due.set(one, this.#now + lateness);
    if (this.#quietTurns % 24 !== 23) return;
    if (this.#page.isSettled && this.#hasFailed) this.#retry();
    this.#now += 500;
    for (const [{ open }, at] of this.#due) if (this.#now >= at) open();
    mock.timers.tick(500);
  }

  #write(): void {
    const { status, messages } = this.#page.conversation.snapshot;
    const isDue =
      this.#written === 0
        ? status === 'ready' || status === 'failed'
        : status === 'failed' || messages.every(({ role, status }) => role !== 'user' || status !== 'queued');
    if (this.#written < texts.length && isDue) this.#page.conversation.send(texts[this.#written++] as string);
  }

  #reload(): void {
    this.#reloads++;
    this.#quietTurns = 0;
    this.#page.goAway();
    this.#page = this.#load();
  }

  #retry(): void {
    assert.ok(this.#tries++ < 6, `It does not end: ${this.#page.events.join(', ')}`);
    const { messages } = this.#page.conversation.snapshot;
    this.#page.conversation.retry(messages.find(({ status }) => status === 'failed')?.key);
  }
}

/** Runs a visit; returns its exchanges on the wire. */
async function play(
  server: ChatServer,
  cuts: readonly Cut[],
  knowsKeys = false,
): Promise<readonly Exchange[]> {
  const wire = new WireTap(cuts);
  server.wire = wire.take;
  const before = server.conversations.length;
  const visitor = new Visitor(server, wire);
  await visitor.comeToEnd();
  assert.equal(wire.made.length, cuts.length, 'Not every cut was made.');

  const { conversationId = '' } = visitor.page.conversation.snapshot;
  const stored = server.historyOf(conversationId).map(({ role, content }) => `${role}: ${content}`);
  assert.deepEqual(stored, wanted, 'what the service has');
  assert.deepEqual(visitor.page.log, wanted, 'what the visitor sees');
  assert.deepEqual([...visitor.wrong], [], 'what the visitor saw');
  const others = server.conversations.slice(before).filter((uuid) => uuid !== conversationId);
  // Without keys, a conversation cannot be found if the answer to its opening was lost.
  const isUnavoidable =
    !knowsKeys && cuts.some(({ exchange }) => wire.exchanges[exchange]?.operation === 'open');
  assert.ok(others.length <= (isUnavoidable ? 1 : 0), 'A conversation too many was opened.');
  for (const uuid of others) assert.deepEqual(server.historyOf(uuid).length, 1);
  visitor.page.goAway();
  return wire.exchanges;
}

/** Every point of a visit, from one of its requests on. */
function* pointsOf(exchanges: readonly Exchange[], from: number, way: Way): Generator<Cut> {
  for (const [exchange, { answer, bytes, bytesBeforeStored, ends }] of exchanges.entries()) {
    if (exchange < from) continue;
    yield { ...way, exchange, at: 'lost' };
    yield { ...way, exchange, at: 0 };
    const firstEvent = answer.indexOf('event: delta');
    const endOfFirst = firstEvent < 0 ? -1 : answer.indexOf('\n\n', firstEvent) + 2;
    // Nothing can be delayed after that.
    const last = way.late ? bytesBeforeStored : bytes;
    for (let at = 1; at <= last; at++) {
      const isInFirst = from === 0 && at >= firstEvent && at <= endOfFirst;
      const isEnd = ends.includes(at) && (from === 0 || answer.startsWith('\n\n', at - 2));
      if (isInFirst || isEnd || (at + exchange * 7) % stride === 0) yield { ...way, exchange, at };
    }
  }
}

for (const [row, [does, options]] of serviceVariants.entries()) {
  describe(`a service that ${does}`, () => {
    let server: ChatServer;
    before(async () => {
      server = await ChatServer.start({ greeting: 'Hello!', ...options });
    });
    after(() => server.stop());

    for (const [column, [when, earlier]] of Object.entries(histories).entries()) {
      for (const [depth, [how, way]] of Object.entries(ways).entries()) {
        if (!isExhaustive && (row + column + depth) % 4 !== 0) continue;
        it(`has each message once, wherever the connection breaks ${when}, and ${how}`, async (test) => {
          const undisturbed = await play(server, [], options.knowsKeys);
          const first = undisturbed.findIndex(({ operation }) => operation === 'send');
          const { answer = '' } = undisturbed[first] ?? {};
          const firstEvent = options.streams === true ? answer.indexOf('\n\n\r\n') + 4 : 0;
          const at = earlier?.isLost ? 'lost' : firstEvent;
          const cuts: Cut[] = earlier ? [{ ...earlier, exchange: first, at }] : [];
          const exchanges = earlier ? await play(server, cuts, options.knowsKeys) : undisturbed;
          let count = 0;
          for (const point of pointsOf(exchanges, earlier ? first + 1 : 0, way)) {
            const { operation } = exchanges[point.exchange] as Exchange;
            await play(server, [...cuts, point], options.knowsKeys).catch((cause: unknown) => {
              throw new Error(`Cut at ${point.at} of ${operation}, request ${point.exchange}.`, { cause });
            });
            count++;
          }
          assert.ok(count > 0);
          test.diagnostic(`${count} points`);
        });
      }
    }
  });
}

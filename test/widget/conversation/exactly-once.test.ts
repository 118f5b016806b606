import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { answerTo, ChatServer, gate, type Step } from '../../support/servers/chat-server.ts';
import { isExhaustive } from '../../support/exhaustive.ts';
import { until } from '../../support/until.ts';
import { serviceVariants } from './service-variants.ts';
import { Browser, type Visit } from './visit.ts';

/*
 * Every message is stored and answered exactly once and in order, whatever fails and whenever the page closes, also by
 * services without idempotency keys.
 */

const messages = ['One', 'Two', 'Two', 'Three'];

/** A fault of the second message. `release` ends the delay of its answer. */
interface Fault {
  readonly step: Step;
  readonly release?: () => void;
}

const slowly = (step: Step): Fault => {
  const { opened, open } = gate();
  return { step: { ...step, thinking: opened }, release: open };
};
const faults: Record<string, () => Fault> = {
  'nothing breaks': () => ({ step: {} }),
  'the service answers slowly': () => slowly({}),
  'the connection breaks before the request is read': () => ({ step: { cut: 'unread' } }),
  'the connection breaks before the answer': () => ({ step: { cut: 'unanswered' } }),
  'the connection breaks before the answer, which comes late': () => slowly({ cut: 'unanswered' }),
  'the connection breaks within a line': () => ({ step: { cut: 'half' } }),
  'the connection breaks at the beginning of a stream': () => ({ step: { cut: 0 } }),
  'the connection breaks after one event': () => ({ step: { cut: 1 } }),
  'the connection breaks after one event, and the answer comes late': () => slowly({ cut: 1 }),
  'the connection breaks before the last event': () => ({ step: { cut: 5 } }),
  'the connection breaks after the last event': () => ({ step: { cut: 99 } }),
  'the service fails': () => ({ step: { loses: true } }),
  'the service fails late': () => slowly({ loses: true }),
  'the service fails after the connection broke': () => ({ step: { cut: 1, loses: true } }),
  'the service fails late, after the connection broke': () => slowly({ cut: 1, loses: true }),
};

// Mocked for the whole file: clearing a mocked timer of an earlier test would clear another one.
before(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
});
after(() => {
  mock.timers.reset();
});

/** Advances the mocked timers while no request is in flight. */
function passTime(server: ChatServer, release?: () => void): () => void {
  let turns = 0;
  let quietTurns = 0;
  return () => {
    if (++turns === 100) release?.();
    quietTurns = server.active > 0 ? 0 : quietTurns + 1;
    if (quietTurns % 30 === 29) mock.timers.tick(500);
  };
}

/** Opens the page and retries, until everything is answered. */
async function bringToEnd(visit: Visit, server: ChatServer, release?: () => void): Promise<void> {
  void visit.conversation.open();
  for (let tries = 0; tries < 5; tries++) {
    await visit.settled(passTime(server, release));
    const { status, messages } = visit.conversation.snapshot;
    const failed = messages.filter(({ status }) => status === 'failed');
    if (status === 'ready' && failed.length === 0) return;
    visit.conversation.retry(failed[0]?.key);
  }
  assert.fail(`It does not end: ${visit.events.join(', ')}`);
}

interface Plan {
  readonly server: ChatServer;
  readonly fault: Fault;
  /** The page closes at that change of the snapshot, counted from the first sending. */
  readonly goesAwayAt: number;
}

/** Returns the number of changes before the first page closed or was idle. */
async function play({ server, fault: { step, release }, goesAwayAt }: Plan): Promise<number> {
  const browser = new Browser();
  const first = browser.visit(server);
  await first.conversation.open();
  const uuid = first.conversation.snapshot.conversationId ?? assert.fail('It did not open.');
  server.next('send', {});
  server.next('send', step);

  const given: string[] = [];
  let changes = 0;
  const send = (text: string | undefined): void => {
    if (text === undefined) return;
    given.push(text);
    first.conversation.send(text);
  };
  first.onChange = () => {
    // The visitor keeps typing, and every change of the draft is stored at once.
    first.conversation.draft = `Typed at ${changes + 1}`;
    if (++changes === goesAwayAt) first.goAway();
  };
  for (const text of messages) if (!first.isGone) send(text);
  await until(() => first.isGone || first.isSettled, passTime(server, release));

  const second = browser.visit(server);
  first.goAway();
  assert.equal(second.conversation.draft, `Typed at ${changes}`);
  await bringToEnd(second, server, release);
  while (server.pendingSteps > 0) {
    // The fault was meant for a message that the visitor had no time to write.
    given.push('Extra');
    second.conversation.send('Extra');
    await bringToEnd(second, server, release);
  }
  const stored = server.historyOf(uuid).map(({ role, content }) => `${role}: ${content}`);
  assert.deepEqual(stored.slice().sort(), ['assistant: Hello!', ...given.flatMap(answered)].sort());
  // A message that the service lost may come after later ones; otherwise the order is the visitor's.
  if (step.loses !== true) assert.deepEqual(stored, ['assistant: Hello!', ...given.flatMap(answered)]);
  assert.deepEqual(second.log.slice().sort(), stored.slice().sort());
  assert.deepEqual(browser.pending, []);
  return changes;
}

const answered = (text: string): string[] => [`user: ${text}`, `assistant: ${answerTo(text)}`];

for (const [row, [does, options]] of serviceVariants.entries()) {
  describe(`a service that ${does}`, () => {
    let server: ChatServer;
    before(async () => {
      server = await ChatServer.start({ greeting: 'Hello!', ...options });
    });
    after(() => server.stop());

    for (const [column, [what, fault]] of Object.entries(faults).entries()) {
      // By default each fault meets a service that streams and one that does not, one of them with idempotency keys.
      if (!isExhaustive && (row === 0 || row === 3) !== (column % 2 === 0)) continue;
      it(`stores and answers each message once when ${what}, and the page closes at any change`, async () => {
        for (let goesAwayAt = 1; ; goesAwayAt++) {
          const changes = await play({ server, fault: fault(), goesAwayAt });
          if (changes < goesAwayAt) break;
        }
      });
    }
  });
}

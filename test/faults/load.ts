import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient } from '../../src/client/chat-client.ts';
import { watchConversation } from '../../src/client/watch-conversation.ts';
import type { Random } from '../support/random.ts';
import { RetryingVisitor } from '../support/service/retrying-visitor.ts';
import type { Exchange } from '../support/service/retrying-visitor.ts';
import type { ServiceAnswer } from '../support/service/service-client.ts';
import type { Cluster, ClusterOwner } from './cluster.ts';
import { deleteCampaign, deleteChat, deleteDocument } from './deletions.ts';
import { nextNumber } from './next-number.ts';

/** A request is given up after two minutes without an answer. */
const retries = { maxAttempts: 600, pause: 200 };

/** Concurrent visitors. */
const visitors = 6;

/** The requests that the service has accepted. */
export interface Accepted {
  /** Conversations with their answered messages; each message text occurs once. */
  chats: { conversation: string; exchanges: Exchange[] }[];
  /** The messages of complete event streams, by conversation. */
  watched: Map<string, string[]>;
  /** Numbers of messages in conversations that were deleted. */
  deleted: { sent: number; answered: number };
  /** Ids of calls by phone number. */
  calls: Map<string, number>;
  /** Phone numbers of the leads of started campaigns. */
  leads: string[];
  /** Ids of documents. */
  documents: number[];
  /** Failed attempts. */
  interruptions: number;
}

/**
 * Visitors, callers, campaigns, uploads and deletions that continue until the load is stopped. All requests are retried.
 */
export class Load {
  readonly cluster: Cluster;
  readonly accepted: Accepted;
  readonly #loops: Promise<void>[];
  readonly #failures: unknown[] = [];
  #isStopping = false;
  #isAbandoned = false;
  #messages = 0;

  constructor(cluster: Cluster, accepted: Accepted, random: Random) {
    this.cluster = cluster;
    this.accepted = accepted;
    const repeat = async (step: (random: Random) => Promise<void>) => {
      // Each loop and step has its own numbers, since they are taken in an order that no seed repeats.
      const ofLoop = random.fork();
      try {
        while (!this.#isStopping) await step(ofLoop.fork());
      } catch (error) {
        this.#failures.push(error);
      }
    };
    this.#loops = [
      ...Array.from({ length: visitors }, (_, index) => repeat((own) => this.#chat(index, own))),
      repeat((own) => this.#call(own)),
      repeat((own) => this.#runCampaign(own)),
      repeat((own) => this.#uploadDocument(own)),
      repeat((own) => deleteChat(this, own)),
      repeat((own) => deleteCampaign(this, own)),
      repeat((own) => deleteCampaign(this, own)),
      repeat((own) => deleteDocument(this, own)),
    ];
  }

  /** Waits until that many more messages have been answered. */
  async answered(count: number): Promise<void> {
    const target = this.#messages + count;
    const deadline = performance.now() + 120_000;
    while (this.#messages < target) {
      if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'The load was refused.');
      if (performance.now() > deadline)
        throw new Error(`${count} messages were not answered in two minutes.`);
      await delay(20);
    }
  }

  /** Completes what has begun; every conversation is ended by the assistant. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#loops);
    if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'The load was refused.');
  }

  /** Starts nothing more, and leaves what has begun. */
  abandon(): void {
    this.#isStopping = true;
    this.#isAbandoned = true;
  }

  openChat(assistant: string): Promise<RetryingVisitor> {
    return RetryingVisitor.open(this.cluster.balancer.url, assistant, retries);
  }

  #owner(random: Random): ClusterOwner {
    const { owners } = this.cluster;
    const owner = owners[random.integer(0, owners.length - 1)];
    if (!owner) throw new Error('The cluster has no owner.');
    return owner;
  }

  async #chat(index: number, random: Random): Promise<void> {
    const visitor = await this.openChat(this.#owner(random).assistant);
    this.accepted.chats.push(visitor);
    const watching = index === 1 ? this.#watch(visitor.conversation) : undefined;
    const say = async (word: string, streaming: boolean) => {
      const options = { streaming, copies: index === 0 ? 2 : 1, leaves: index === 2 };
      await visitor.say(`${word} ${randomUUID()}`, options);
      this.#messages++;
    };
    for (let message = 0; message < 3 && !this.#isStopping; message++) {
      await say('Hello', (index + message) % 2 === 0);
    }
    await say('Goodbye', false);
    await watching;
    for (const { failures } of visitor.exchanges) this.accepted.interruptions += failures.length;
  }

  /** Follows the event stream of a conversation to its end; resumes it whenever it is interrupted. */
  async #watch(conversation: string): Promise<void> {
    const client = new ChatClient({ baseUrl: this.cluster.balancer.url });
    const messages: string[] = [];
    let lastEventId: string | undefined = '0';
    const end = new AbortController();
    while (!end.signal.aborted && !this.#isAbandoned) {
      await watchConversation(client, conversation, {
        lastEventId,
        signal: AbortSignal.timeout(60_000),
        onOpen: () => undefined,
        onEvent: ({ type, data }, id) => {
          lastEventId = id;
          if (type === 'message') messages.push(String(data['content']));
          if (type === 'ended') end.abort();
        },
      }).catch(() => delay(retries.pause));
    }
    this.accepted.watched.set(conversation, messages);
  }

  async #call(random: Random): Promise<void> {
    const { owner, assistantId } = this.#owner(random);
    const phone_number = nextNumber(random.chance(0.5) ? 1 : 3);
    const headers = { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': randomUUID() };
    const { json } = await this.untilAccepted(() =>
      this.cluster.client.post('/api/user/make_call', { phone_number, assistant_id: assistantId }, headers),
    );
    this.accepted.calls.set(phone_number, Number(json['call_id']));
    await delay(300);
  }

  /** A request for a new record may be executed twice, since it has no idempotency key: only accepted ones count. */
  async #runCampaign(random: Random): Promise<void> {
    const { owner, assistantId } = this.#owner(random);
    const campaign = {
      name: 'Spring',
      assistant_id: assistantId,
      allowed_hours_start_time: '00:00',
      allowed_hours_end_time: '23:59',
      max_calls_in_parallel: 5,
      retry_interval: 60,
    };
    const created = await this.untilAccepted(() => owner.post('campaigns', campaign));
    const { id: campaign_id } = created.json['data'] as { id: number };
    const leads: string[] = [];
    for (let lead = 0; lead < 4; lead++) {
      const phone_number = nextNumber();
      // 422: an earlier attempt created the lead, but its response was lost.
      await this.untilAccepted(() => owner.post('lead', { phone_number, campaign_id }), [422]);
      leads.push(phone_number);
    }
    await this.untilAccepted(() => owner.post('campaigns/update-status', { campaign_id, action: 'start' }));
    this.accepted.leads.push(...leads);
    await delay(1500);
  }

  async #uploadDocument(random: Random): Promise<void> {
    const { owner, knowledgeBase } = this.#owner(random);
    const file = () => new Blob([`# Opening hours\n\nWe are open on day ${randomUUID()}.`]);
    const { json } = await this.untilAccepted(() =>
      owner.upload(`knowledgebases/${knowledgeBase}/documents`, { name: 'Hours', type: 'txt', file: file() }),
    );
    this.accepted.documents.push((json['data'] as { id: number }).id);
    await delay(1000);
  }

  /** Repeats a request until it succeeds, or is refused with one of these statuses. */
  async untilAccepted<Answer extends Pick<ServiceAnswer, 'status' | 'json' | 'text'>>(
    send: () => Promise<Answer>,
    alsoFinal: number[] = [],
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await send().catch(() => undefined);
      if (answer && (answer.status < 300 || alsoFinal.includes(answer.status))) return answer;
      this.accepted.interruptions++;
      const isRefused = answer && answer.status < 500 && answer.status !== 409;
      if (isRefused || attempt === retries.maxAttempts || this.#isAbandoned) {
        throw new Error(`A request failed: ${answer?.status ?? 'no answer'} ${answer?.text ?? ''}`);
      }
      await delay(retries.pause);
    }
  }
}

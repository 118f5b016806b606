import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { freePort } from '../support/process/free-port.ts';
import { shiftedClock } from '../support/process/shifted-clock.ts';
import { startLoadBalancer } from '../support/servers/load-balancer.ts';
import type { LoadBalancer } from '../support/servers/load-balancer.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import type { ChatRequest } from '../support/servers/model-server.ts';
import { startSilentProxy } from '../support/servers/silent-proxy.ts';
import type { SilentProxy } from '../support/servers/silent-proxy.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { repository } from '../support/repository.ts';
import { startPostgres } from '../support/service/postgres.ts';
import type { PostgresServer } from '../support/service/postgres.ts';
import { ServiceClient } from '../support/service/service-client.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import type { ServiceProcess } from '../support/service/service-process.ts';
import { atEnd, startService } from '../support/service/service.ts';
import type { Environment } from '../support/service/service.ts';

/** Committed data survives a crash of the server, as in production; only the machine must not lose power. */
const serverSettings = [
  'fsync=off',
  'synchronous_commit=on',
  'max_connections=60',
  'max_wal_size=96MB',
  'min_wal_size=32MB',
];

/** A process of the service that can be killed, frozen and restarted. Its address stays the same. */
export class ClusterNode {
  readonly #env: Environment;
  /** Its connections to the database. */
  readonly proxy: SilentProxy;
  readonly url: string;
  #process: ServiceProcess | undefined;
  /** The log of the processes that were killed. */
  #earlierLog = '';
  readonly #reported = new Set<string>();

  private constructor(env: Environment, proxy: SilentProxy, port: number) {
    this.#env = { ...env, DATABASE_URL: proxy.url, PORT: String(port) };
    this.proxy = proxy;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(env: Environment, databaseUrl: string): Promise<ClusterNode> {
    const proxy = await startSilentProxy(databaseUrl);
    atEnd(() => proxy.close());
    const node = new ClusterNode(env, proxy, await freePort());
    await node.start();
    return node;
  }

  /** Starts it as a process manager does: again and again until it runs. */
  async start({ clockMinutes = 0 }: { clockMinutes?: number } = {}): Promise<void> {
    const options = [this.#env['NODE_OPTIONS'], ...(clockMinutes === 0 ? [] : [shiftedClock(clockMinutes)])];
    const env = { ...this.#env, NODE_OPTIONS: options.join(' ') };
    for (let attempt = 1; ; attempt++) {
      try {
        this.#process = await startServiceProcess(env);
        return;
      } catch (error) {
        if (attempt === 60) throw error;
        await delay(500);
      }
    }
  }

  async kill(): Promise<void> {
    this.#process?.signal('SIGKILL');
    await this.#process?.child.ended;
    this.#earlierLog += this.#process?.child.output() ?? '';
  }

  /** The errors and deadlocks in the log since the last call. */
  readFailures(): string[] {
    const log = `${this.#earlierLog}${this.#process?.child.output() ?? ''}`;
    this.#earlierLog = '';
    return log.split('\n').flatMap((line) => {
      if (!/"level":[56]0|deadlock detected/.test(line) || this.#reported.has(line)) return [];
      this.#reported.add(line);
      const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string; stack: string } };
      return `${msg}: ${err?.message ?? ''} ${err?.stack ?? ''}`;
    });
  }

  freeze(): void {
    this.#process?.signal('SIGSTOP');
  }

  resume(): void {
    this.#process?.signal('SIGCONT');
  }
}

/** An owner whose assistant chats and makes calls. */
export interface ClusterOwner {
  owner: Owner;
  assistantId: number;
  assistant: string;
  knowledgeBase: number;
  webhookSecret: string;
}

/** Three processes on one PostgreSQL server behind a load balancer, with a language model and a webhook receiver. */
export interface Cluster {
  postgres: PostgresServer;
  nodes: ClusterNode[];
  balancer: LoadBalancer;
  receiver: WebhookReceiver;
  /** Sends requests to the load balancer. */
  client: ServiceClient;
  owners: ClusterOwner[];
  /** An owner whose records are deleted while they are in use, and whose webhooks fail. */
  remover: ClusterOwner & { failingUrl: string };
  /** Connections of the test; no fault interrupts them but a restart of the server. */
  pool: pg.Pool;
  /** Returns all numbers that the carriers have dialed. */
  dialedNumbers(): Promise<string[]>;
}

/** @param parent the folder of the database's files */
export async function startCluster(parent: string): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ parent, settings: serverSettings });
  atEnd(() => postgres.stop());
  const databaseUrl = postgres.url('postgres');
  const model = await startModelServer();
  atEnd(() => model.close());
  model.behave(behaviorOf);
  const receiver = await startWebhookReceiver();
  atEnd(() => receiver.server.close());
  const dialedNumbersFile = join(folder, 'dialed-numbers');
  const preload = pathToFileURL(join(import.meta.dirname, 'record-dialed-numbers.ts')).href;
  const env: Environment = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '8',
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'test',
    REPLY_LEASE_SECONDS: '3',
    JOB_POLL_SECONDS: '0.5',
    CARRIER_SECONDS: '0.02',
    MAX_CALLS_IN_PARALLEL: '0',
    MAX_CALLS_PER_DAY: '0',
    WEBHOOK_RETRY_SECONDS: '0.5,1,1,2,2,2',
    ALLOW_PRIVATE_ADDRESSES: receiver.server.address,
    // Most of the time goes into starting processes.
    NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/compiled'),
    NODE_OPTIONS: `--import=${preload}`,
    DIALED_NUMBERS_FILE: dialedNumbersFile,
  };
  const setup = await startService(env);
  const nodes: ClusterNode[] = [];
  for (let index = 0; index < 3; index++) nodes.push(await ClusterNode.start(env, databaseUrl));
  const balancer = await startLoadBalancer(nodes.map(({ url }) => url));
  atEnd(() => balancer.close());
  const client = Object.assign(new ServiceClient(balancer.url), { running: setup.running });
  const owners: ClusterOwner[] = [];
  for (let index = 0; index < 3; index++) {
    const owner = (await Owner.create(setup, '1000')).at(client);
    owners.push(await createAssistant(owner, assistantFields(receiver)));
  }
  const failingUrl = receiver.address(500);
  const remover = await createAssistant((await Owner.create(setup, '1000')).at(client), {
    ...assistantFields(receiver),
    handoff_webhook_url: receiver.address(200),
  });
  await setup.running.close();

  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  atEnd(() => pool.end());
  return {
    ...{ postgres, nodes, balancer, receiver, client, owners, pool },
    remover: { ...remover, failingUrl },
    async dialedNumbers() {
      const content = await readFile(dialedNumbersFile, 'utf8').catch(() => '');
      return content.split('\n').filter((line) => line !== '');
    },
  };
}

const assistantFields = (receiver: WebhookReceiver) =>
  assistantBody({
    post_call_evaluation: true,
    tools: [
      { type: 'end_call', description: 'When the customer says goodbye.' },
      { type: 'call_transfer', description: 'When the customer asks for prices.', phone_number: desk },
    ],
    conversation_ended_webhook_url: receiver.address(200),
    is_webhook_active: true,
    webhook_url: receiver.address(200),
    send_webhook_only_on_completed: false,
    max_visitor_messages_per_day: 1_000_000,
    max_messages_per_day: 1_000_000,
  });

/** The number of a person who answers. */
const desk = '+4989100100000';

async function createAssistant(owner: Owner, fields: Record<string, unknown>): Promise<ClusterOwner> {
  const { id: assistantId } = await owner.create('assistant', fields);
  const assistant = String((await readAssistant(owner, assistantId))['uuid']);
  const { id: knowledgeBase } = await owner.create('knowledgebases', { name: 'Documents' });
  const webhookSecret = String((await owner.get('webhook-secret')).json['secret']);
  return { owner, assistantId, assistant, knowledgeBase, webhookSecret };
}

const evaluation = JSON.stringify({ sentiment: 'neutral', outcome: 'A talk', score: 0.5, variables: {} });

/** Answers take a while, so that faults interrupt some. */
function behaviorOf({ messages, stream }: ChatRequest) {
  const line = messages.at(-1)?.content ?? '';
  if (stream !== true) return { pause: 50, chunks: [evaluation] };
  const text = `You said: ${line}`;
  if (line.startsWith('Goodbye')) return { before: text, calls: [{ name: 'end_call', arguments: {} }] };
  if (line.startsWith('How much')) return { before: text, calls: [{ name: 'call_transfer', arguments: {} }] };
  const half = Math.ceil(text.length / 2);
  return { pause: 60, chunks: [text.slice(0, half), text.slice(half)] };
}

import { MemoryVoice } from './memory-voice.ts';
import type { MemoryBrowser } from './memory-voice.ts';
import { createAssistant, readMoney, startService } from '../service/service.ts';
import type { AssistantOptions, Environment, TestService } from '../service/service.ts';
import { linesOf } from '../service/service-client.ts';
import { eventually } from '../eventually.ts';

export const offer = 'v=0 offer';

async function startWith(env: Environment) {
  const voice = new MemoryVoice();
  return { voice, service: await startService(env, { voice }) };
}

let shared: ReturnType<typeof startWith> | undefined;

/** A service with the voice package in memory, and a conversation with an assistant that can be called. */
export async function visit(
  options: AssistantOptions & {
    type?: 'widget' | 'test';
    env?: Environment;
    service?: TestService;
    voice?: MemoryVoice;
  } = {},
) {
  const { voice, service } = options.service
    ? { voice: options.voice ?? new MemoryVoice(), service: options.service }
    : await (options.env ? startWith(options.env) : (shared ??= startWith({})));
  voice.reset();
  const limits = { webCalls: true, maxSilenceDuration: 300, reengagementInterval: 300, ...options.limits };
  const assistant = await createAssistant(service, {
    balance: '1',
    initialMessage: 'Welcome to the shop.',
    ...options,
    limits,
  });
  const { json } = await service.post('/api/conversations', {
    assistant_id: assistant.uuid,
    type: options.type ?? 'widget',
  });
  const path = `/api/conversations/${String(json['conversation_id'])}`;
  const entries = async () =>
    (await service.get(path)).json['history'] as (Record<string, unknown> & { event?: string })[];
  return {
    ...{ voice, service, assistant, path },
    call: (body: object = {}, headers: Record<string, string> = {}) =>
      service.post(`${path}/voice`, { sdp: offer, ...body }, headers),
    /** The conversation without the ends of its calls. */
    history: async () => linesOf((await entries()).filter(({ event }) => event !== 'call_ended')),
    /** The ends of the conversation's calls. */
    ends: async () => (await entries()).filter(({ event }) => event === 'call_ended'),
    money: () => readMoney(service, assistant.userId),
    /** The stored calls of the conversation, oldest first. */
    calls: async () => {
      const { rows } = await service.running.database.pool.query<Record<string, unknown>>(
        `SELECT type, status, end_reason, transcript, carrier_cost::float, total_cost::float
         FROM calls WHERE user_id = $1 ORDER BY id`,
        [assistant.userId],
      );
      return rows;
    },
    /** @param call the `call` of the answer to `POST`; undefined for the latest call */
    hangUp: (call?: unknown) => {
      const query = call === undefined ? '' : `?call=${encodeURIComponent(call as string)}`;
      return service.request('DELETE', `${path}/voice${query}`);
    },
  };
}

/** Waits until the assistant has finished speaking `count` times. */
export const said = async (browser: MemoryBrowser, count: number) =>
  (await browser.waitFor('response.done', count)).length;

/** Waits until the first call of a visitor has ended. */
export async function waitForEnd(visitor: {
  calls: () => Promise<Record<string, unknown>[]>;
}): Promise<void> {
  let status = 'unknown';
  await eventually(
    () => `the end of the visitor's call, which is ${status}`,
    async () => {
      status = String((await visitor.calls())[0]?.['status']);
      return ['initiated', 'ringing', 'in-progress'].includes(status) ? undefined : true;
    },
  );
}

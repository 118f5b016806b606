import { startModelServer } from '../../support/servers/model-server.ts';
import { runServer, serviceSettings } from './run-server.ts';
import { postJson } from './post-json.ts';

/** The outcome of many concurrent streamed answers. */
export interface Streams {
  /** Number of streams that were open at the same time, each with an answer in progress. */
  open: number;
  /** Number of streams that ended with the complete answer. */
  done: number;
  /** Milliseconds from the model's first chunk to the end of the last stream. */
  took: number;
}

/** Opens `count` streamed answers, delays the model until all are open, and reads them to the end. */
export async function openStreams(
  databaseUrl: string,
  assistants: readonly string[],
  count: number,
): Promise<Streams> {
  const model = await startModelServer();
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise, chunks: ['All ', 'of ', 'them.'] });
  const service = await runServer('src/service/main.ts', {
    ...serviceSettings,
    DATABASE_URL: databaseUrl,
    LLM_BASE_URL: model.url,
    LLM_IDLE_TIMEOUT_SECONDS: '300',
    REPLY_TIMEOUT_SECONDS: '600',
  });
  try {
    let open = 0;
    let done = 0;
    const converse = async (index: number) => {
      const assistant_id = assistants[index % assistants.length];
      const { conversation_id: id } = await postJson(`${service.url}/api/conversations`, { assistant_id });
      const response = await fetch(`${service.url}/api/conversations/${String(id)}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
        body: JSON.stringify({ message: 'Now?' }),
      });
      if (response.headers.get('Content-Type') === 'text/event-stream') open++;
      const text = await response.text();
      open--;
      if (text.includes('event: done') && text.includes('All of them.')) done++;
    };
    const conversations = Array.from({ length: count }, (_, index) => converse(index));
    await Promise.race([model.received(count), Promise.all(conversations)]);
    const openAtOnce = open;
    const start = performance.now();
    gate.resolve(undefined);
    await Promise.all(conversations);
    return { open: openAtOnce, done, took: performance.now() - start };
  } finally {
    await service.child.stop();
    await model.close();
  }
}

import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { postJson } from './post-json.ts';
import { runServer, serviceSettings } from './run-server.ts';

/** The cost of open event streams. */
export interface Watchers {
  open: number;
  /** Kilobytes of the service's memory for each stream. */
  kilobytesEach: number;
  /** Share of one processor that the service uses while nothing happens, 0 to 1. */
  idleShare: number;
}

/** Duration of the measurement of idle processor time, in seconds. */
const idleSeconds = 20;

/** Opens `count` event streams, each of a new conversation, and measures the service while they are idle. */
export async function watchConversations(
  databaseUrl: string,
  assistants: readonly string[],
  count: number,
): Promise<Watchers> {
  const service = await runServer('src/service/main.ts', { ...serviceSettings, DATABASE_URL: databaseUrl });
  const abort = new AbortController();
  try {
    const uuids: string[] = [];
    for (let index = 0; index < count; index++) {
      const assistant_id = assistants[index % assistants.length];
      const { conversation_id } = await postJson(`${service.url}/api/conversations`, { assistant_id });
      uuids.push(String(conversation_id));
    }
    const { pid } = service.child;
    const before = await readUsage(pid);
    let open = 0;
    await Promise.all(
      uuids.map(async (uuid) => {
        const opened = await openStream(`${service.url}/api/conversations/${uuid}/events`, abort.signal);
        if (opened) open++;
      }),
    );
    await delay(3000);
    const start = await readUsage(pid);
    await delay(idleSeconds * 1000);
    const end = await readUsage(pid);
    return {
      open,
      kilobytesEach: (end.kilobytes - before.kilobytes) / count,
      idleShare: (end.seconds - start.seconds) / idleSeconds,
    };
  } finally {
    abort.abort();
    await service.child.stop();
  }
}

/** Opens an event stream; resolves with whether its first event is `handoff`. */
function openStream(url: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    request(url, { signal, agent: false }, (response) => {
      response.once('data', (chunk: Buffer) => {
        resolve(chunk.toString().includes('event: handoff'));
      });
      response.on('error', () => undefined);
      response.resume();
    })
      .on('error', () => {
        resolve(false);
      })
      .end();
  });
}

/** The resident memory and the processor time of a process (Linux: a clock tick is 10 ms). */
async function readUsage(pid: number): Promise<{ kilobytes: number; seconds: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = '0', system = '0'] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12);
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  return { kilobytes, seconds: (Number(user) + Number(system)) / 100 };
}

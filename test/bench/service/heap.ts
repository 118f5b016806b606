import { once } from 'node:events';
import type { Server } from './run-server.ts';

/** Opens a process's inspector; returns functions that measure its memory. */
export async function openHeap({
  child,
}: Server): Promise<{ used: () => Promise<number>; resident: () => Promise<number>; close: () => void }> {
  const address = /ws:\/\/\S+/.exec(child.output())?.[0];
  if (address === undefined) throw new Error('The process has no inspector: start it with --inspect=0.');
  const socket = new WebSocket(address);
  await once(socket, 'open');
  let last = 0;
  const ask = (method: string, params: object = {}) => {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    const id = ++last;
    const listen = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
      if (answer.id !== id) return;
      socket.removeEventListener('message', listen);
      resolve(answer.result ?? {});
    };
    socket.addEventListener('message', listen);
    socket.send(JSON.stringify({ id, method, params }));
    return promise;
  };
  return {
    /** Heap size after garbage collection, in megabytes. */
    async used() {
      await ask('HeapProfiler.collectGarbage');
      const { usedSize } = await ask('Runtime.getHeapUsage');
      return Number(usedSize) / 1e6;
    },
    /** Resident set size in megabytes, which includes buffers, code and stacks. */
    async resident() {
      const { result } = await ask('Runtime.evaluate', { expression: 'process.memoryUsage.rss()' });
      return Number((result as { value?: number } | undefined)?.value) / 1e6;
    },
    close() {
      socket.close();
    },
  };
}

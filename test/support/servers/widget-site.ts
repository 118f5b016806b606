import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository } from '../repository.ts';

/** A website with the built chat and a service with histories and answers of exact lengths, at one origin. */
export interface WidgetSite {
  readonly url: string;
  /** Each completed stream: its number of chunks and its duration in milliseconds. */
  readonly streams: { readonly chunks: number; readonly took: number }[];
  stop(): Promise<void>;
}

/** The UUID of the service's assistant. */
export const assistantId = '11111111-2222-4333-8444-555555555555';

/** The number of chunks that a message like `Write 2000 chunks` asks for. */
const chunkCountOf = (message: string) => Number(/\d+/.exec(message)?.[0] ?? 1);

const chunksPerSecond = 500;
const charactersPerChunk = 4;

/** The text of answers and histories: about 400 characters of typical Markdown. */
const passage = `The **Alpine 40** carries 40 litres and weighs 1.2 kg, which is little for a pack with a frame. It comes in three sizes:

- *small*, for a back of up to 43 cm
- *medium*, up to 48 cm
- *large*, for everyone else

See [the size table](https://example.com/sizes) or ask for \`ALP-40\` in a shop near you. Rain covers are extra, and fit the 30 and the 50 as well.

`;

/**
 * Serves `/blank`, `/chat` (the same page with the one-line script) and `/element` (with the module but no chat). Below
 * `/{n}/api` is a service whose conversations begin with a history of n messages. A message like
 * `Write 2000 chunks` is answered in 2,000 chunks of 4 characters, 500 per second.
 */
export async function startWidgetSite(): Promise<WidgetSite> {
  const streams: WidgetSite['streams'] = [];
  const server = createServer((request, response) => {
    answer(request, response, streams).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    streams,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  streams: WidgetSite['streams'],
): Promise<void> {
  const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://site');
  const [, count, operation = ''] = /^\/(\d+)\/api\/(.*)$/.exec(path) ?? [];
  if (count !== undefined) await serve(operation, Number(count), request, response, streams);
  else if (path.endsWith('.js'))
    send(response, 'text/javascript', await readFile(join(repository, 'dist', path)));
  else send(response, 'text/html; charset=utf-8', pageOf(path, searchParams.get('history') ?? '1'));
}

function pageOf(path: string, history: string): string {
  const scripts: Record<string, string> = {
    '/chat': `<script src="/embed.js" data-assistant-id="${assistantId}" data-base-url="/${history}" async></script>`,
    '/element': '<script type="module" src="/voice-assistant-chat.js"></script>',
  };
  return `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">
    <h1>A page</h1><p>With a paragraph.</p>${scripts[path] ?? ''}</html>`;
}

async function serve(
  operation: string,
  count: number,
  request: IncomingMessage,
  response: ServerResponse,
  streams: WidgetSite['streams'],
): Promise<void> {
  if (operation.startsWith('assistants/')) {
    const widget_settings = { theme: 'light', color: '#0a7', position: 'right-bottom' };
    sendJson(response, { status: true, data: { name: 'Ada', language: 'en', widget_settings } });
  } else if (operation.endsWith('/messages')) {
    const { message } = JSON.parse(await textOf(request)) as { message: string };
    await stream(chunkCountOf(message), response, streams);
  } else {
    // Cached, so that measurements of the chat do not include making it.
    const history = histories.get(count) ?? JSON.stringify(historyOf(count));
    histories.set(count, history);
    const conversation = `"conversation_id":"${crypto.randomUUID()}","history":${history}`;
    send(response, 'application/json', `{"status":true,${conversation}}`);
  }
}

const histories = new Map<number, string>();

/** Alternating answers and questions; every fourth answer has a list, a link and code. */
function historyOf(count: number): { role: string; content: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1);
    if (index % 2 === 1)
      return { role: 'user', content: `Question ${number}: how much does the Alpine 40 carry?` };
    const text = index % 8 === 0 ? passage : 'It carries **40 litres**, and comes in three sizes.';
    return { role: 'assistant', content: `Answer ${number}. ${text}` };
  });
}

/** Writes all chunks that are due at once, so that delays do not add up. */
async function stream(
  count: number,
  response: ServerResponse,
  streams: WidgetSite['streams'],
): Promise<void> {
  const text = passage.repeat(Math.ceil((count * charactersPerChunk) / passage.length));
  const message = text.slice(0, count * charactersPerChunk);
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (let written = 0; written < count && !response.destroyed;) {
    const due = Math.min(count, Math.ceil((elapsed() / 1000) * chunksPerSecond));
    for (; written < due; written++) {
      const start = written * charactersPerChunk;
      const data = JSON.stringify({ text: message.slice(start, start + charactersPerChunk) });
      response.write(`event: delta\ndata: ${data}\n\n`);
    }
    await sleep(2);
  }
  response.end(`event: done\ndata: ${JSON.stringify({ status: true, message, function_calls: [] })}\n\n`);
  streams.push({ chunks: count, took: elapsed() });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, body: object): void {
  send(response, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  response.writeHead(200, { 'Content-Type': type }).end(body);
}

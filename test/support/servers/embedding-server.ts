import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { atEnd } from '../service/service.ts';

/** A real server that speaks OpenAI's embeddings protocol. */
export interface EmbeddingServer {
  url: string;
  /** The texts of each request so far. */
  requests: string[][];
  /** Refuses everything while it is set. */
  status: number | undefined;
  /** What its answers wait for. */
  gate: Promise<unknown> | undefined;
}

/**
 * Starts one whose vectors have a number for each meaning: how often words of it stand in the text.
 *
 * @param meanings words that mean the same.
 */
export async function startEmbeddingServer(meanings: string[][]): Promise<EmbeddingServer> {
  const embedding: EmbeddingServer = { url: '', requests: [], status: undefined, gate: undefined };
  const server = createServer((request, response) => {
    void readJson(request).then(async (body) => {
      const { input, model } = body as { input: string[]; model: string };
      embedding.requests.push(input);
      await embedding.gate;
      response.writeHead(embedding.status ?? 200, { 'Content-Type': 'application/json' });
      if (embedding.status !== undefined) {
        // Some providers quote what they were given.
        const message = `${request.headers.authorization ?? ''} may not embed ${input.join(' ')}`;
        response.end(JSON.stringify({ error: { message, type: 'test_error', code: null } }));
        return;
      }
      const data = input.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOf(text, meanings),
      }));
      response.end(
        JSON.stringify({ object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  embedding.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return embedding;
}

function vectorOf(text: string, meanings: string[][]): number[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  // The last number keeps a text without any of the meanings from having no direction.
  return [...meanings.map((meaning) => words.filter((word) => meaning.includes(word)).length), 0.01];
}

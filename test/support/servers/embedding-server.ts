import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { atEnd } from '../service/service.ts';

/** A real server that speaks OpenAI's embeddings protocol. */
export interface EmbeddingServer {
  url: string;
  /** The texts of each request so far. */
  requests: string[][];
  /** While set, every request fails with this status. */
  status: number | undefined;
  /** Refuses requests with more texts. */
  batchLimit: number;
  /** Refuses requests with a text that contains this word. */
  refused: string | undefined;
  /** Fails with the status 500 if a text is longer, as llama.cpp does; in UTF-16 code units. */
  lengthLimit: number;
  /** The vector of a text that contains this word is zero. */
  zero: string | undefined;
  /** Responses wait for this promise. */
  gate: Promise<unknown> | undefined;
}

/**
 * Starts an embedding server. Its vectors have a number for each meaning: the count of the meaning's words in the text.
 *
 * @param meanings groups of words with the same meaning
 */
export async function startEmbeddingServer(meanings: string[][]): Promise<EmbeddingServer> {
  const embedding: EmbeddingServer = {
    ...{ url: '', requests: [], gate: undefined },
    ...{ status: undefined, batchLimit: Infinity, refused: undefined },
    ...{ lengthLimit: Infinity, zero: undefined },
  };
  const server = createServer((request, response) => {
    void readJson(request).then(async (body) => {
      const { input, model } = body as { input: string[]; model: string };
      embedding.requests.push(input);
      await embedding.gate;
      const { refused, batchLimit, lengthLimit, zero } = embedding;
      const isRefused =
        input.length > batchLimit || input.some((text) => refused !== undefined && text.includes(refused));
      const isTooLong = input.some(({ length }) => length > lengthLimit);
      const status = embedding.status ?? (isTooLong ? 500 : isRefused ? 422 : 200);
      response.writeHead(status, { 'Content-Type': 'application/json' });
      if (status !== 200) {
        // Some providers quote the request in their errors.
        const message = isTooLong
          ? 'input is too large to process. increase the physical batch size'
          : `${request.headers.authorization ?? ''} may not embed ${input.join(' ')}`;
        response.end(JSON.stringify({ error: { message, type: 'test_error', code: null } }));
        return;
      }
      const data = input.map((text, index) => {
        const vector = vectorOf(text, meanings);
        const isZero = zero !== undefined && text.includes(zero);
        return { object: 'embedding', index, embedding: isZero ? vector.map(() => 0) : vector };
      });
      response.end(
        JSON.stringify({ object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
      );
    });
  });
  // A busy client could otherwise send a request just as the server closes the unused connection.
  server.keepAliveTimeout = 600_000;
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
  // Keeps the vector of a text without any of these words from being zero.
  return [...meanings.map((meaning) => words.filter((word) => meaning.includes(word)).length), 0.01];
}

import { request } from 'node:http';
import type { IncomingHttpHeaders, RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A response as received. */
export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, still encoded. */
  body: Buffer;
  /** The body, decoded. */
  text: string;
}

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** Sends a request without `fetch`, which normalizes paths and decodes bodies. */
export async function rawRequest(url: string, options: RequestOptions = {}): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  request(url, options, (response) => {
    buffer(response).then((body) => {
      const decode = decoders[response.headers['content-encoding'] ?? ''];
      const text = (body.length > 0 && decode ? decode(body) : body).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text });
    }, reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

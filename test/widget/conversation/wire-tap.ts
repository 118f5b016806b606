import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gate, type Operation, type Step } from '../../support/servers/chat-server.ts';

/** The effect of a cut on the page and the service. */
export interface Way {
  /** Whether the page reloads; otherwise only its connection breaks. */
  readonly reloads: boolean;
  /** Whether the request arrives late, or the answer is written late: when the wire is resumed. */
  readonly late: boolean;
}

export interface Cut extends Way {
  /** Which request of the visit, counted from 0. */
  readonly exchange: number;
  /** After how many bytes of the answer, its head included; `lost` before the request arrives. */
  readonly at: number | 'lost';
}

/** A delayed request or answer. */
export interface Held {
  readonly cut: Cut;
  readonly open: () => void;
}

/** A request and its answer on the wire. */
export class Exchange {
  readonly operation: Operation;
  answer = '';
  /** The end of each chunk that the server wrote, in bytes. */
  readonly ends: number[] = [];

  constructor(operation: Operation) {
    this.operation = operation;
  }

  get bytes(): number {
    return this.ends.at(-1) ?? 0;
  }

  /** How many bytes of a stream are written before the service stores the answer; 0 for any other answer. */
  get bytesBeforeStored(): number {
    const done = this.answer.indexOf('event: done');
    // On the wire, the size of the event's chunk comes before it.
    return done < 0 ? 0 : this.answer.lastIndexOf('\n\n\r\n', done) + 4;
  }
}

/** Records every byte of a server's answers, and cuts at a given point. */
export class WireTap {
  readonly exchanges: Exchange[] = [];
  /** The delayed requests and answers. */
  readonly held = new Set<Held>();
  /** The cuts that were made. */
  readonly made: Cut[] = [];
  readonly #cuts: readonly Cut[];

  constructor(cuts: readonly Cut[]) {
    this.#cuts = cuts;
  }

  /** Called by the server for each request. */
  readonly take = async (operation: Operation, response: ServerResponse): Promise<Step | undefined> => {
    const cut = this.#cuts.find(({ exchange }) => exchange === this.exchanges.length);
    const exchange = new Exchange(operation);
    this.exchanges.push(exchange);
    // One connection per request, so that a cut affects no other request.
    response.shouldKeepAlive = false;
    const socket = response.socket as Socket;
    this.#tap(socket, exchange, cut);
    if (cut?.at === 'lost' && !cut.late) return undefined;
    if (cut?.at === 'lost') await this.#wait(cut);
    else if (cut?.late && operation === 'send') return { begins: Infinity, thinking: this.#wait(cut) };
    return { begins: Infinity };
  };

  async #wait(cut: Cut): Promise<void> {
    const { opened, open } = gate();
    const held = { cut, open };
    this.held.add(held);
    await opened;
    this.held.delete(held);
  }

  #tap(socket: Socket, exchange: Exchange, cut: Cut | undefined): void {
    const write = socket.write.bind(socket) as (chunk: Buffer, done?: () => void) => boolean;
    let isCut = false;
    const end = (cut: Cut): void => {
      isCut = true;
      this.made.push(cut);
      // A page that closes ends its connection itself.
      if (!cut.reloads) socket.destroy();
    };
    if (cut?.at === 'lost' || cut?.at === 0) end(cut);
    socket.write = (chunk: Buffer | string, encoding?: unknown, done?: () => void): boolean => {
      const bytes = Buffer.from(chunk as string, encoding as BufferEncoding);
      if (isCut) {
        process.nextTick(() => done?.());
        return true;
      }
      const left = typeof cut?.at === 'number' ? cut.at - exchange.bytes : Infinity;
      exchange.answer += bytes.toString('latin1');
      exchange.ends.push(exchange.bytes + bytes.length);
      if (bytes.length < left) return write(bytes, done);
      isCut = true;
      return write(bytes.subarray(0, left), () => {
        end(cut as Cut);
        done?.();
      });
    };
  }
}

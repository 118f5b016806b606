import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gate, type Operation, type Step } from '../../support/servers/chat-server.ts';

/** What becomes of the page, and of the service, when an exchange is cut. */
export interface Way {
  /** The page is loaded anew; else its connection breaks, and it goes on. */
  readonly reloads: boolean;
  /** The request arrives late, or the answer is written late: when the wire is told to go on. */
  readonly late: boolean;
}

export interface Cut extends Way {
  /** Which request of the visit, counted from 0. */
  readonly exchange: number;
  /** After how many bytes of the answer, its head included; `lost` before the request arrives. */
  readonly at: number | 'lost';
}

/** Something that is late. */
export interface Held {
  readonly cut: Cut;
  readonly open: () => void;
}

/** A request and all that went over the wire in answer to it. */
export class Exchange {
  readonly operation: Operation;
  answer = '';
  /** Where each piece that the server wrote ends, bytes. */
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
    // What comes before that event on the wire is the size of its chunk.
    return done < 0 ? 0 : this.answer.lastIndexOf('\n\n\r\n', done) + 4;
  }
}

/** Notes every byte that a server answers, and cuts where it is told to. */
export class CuttingWire {
  readonly exchanges: Exchange[] = [];
  /** The requests and answers that wait to go on. */
  readonly held = new Set<Held>();
  /** The cuts that were made. */
  readonly made: Cut[] = [];
  readonly #cuts: readonly Cut[];

  constructor(cuts: readonly Cut[]) {
    this.#cuts = cuts;
  }

  /** What the server asks with each request. */
  readonly take = async (operation: Operation, response: ServerResponse): Promise<Step | undefined> => {
    const cut = this.#cuts.find(({ exchange }) => exchange === this.exchanges.length);
    const exchange = new Exchange(operation);
    this.exchanges.push(exchange);
    // A connection of its own for each request: where one breaks, no other one breaks with it.
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
    const write = socket.write.bind(socket) as (piece: Buffer, done?: () => void) => boolean;
    let isCut = false;
    const end = (cut: Cut): void => {
      isCut = true;
      this.made.push(cut);
      // A page that goes away breaks its connection itself.
      if (!cut.reloads) socket.destroy();
    };
    if (cut?.at === 'lost' || cut?.at === 0) end(cut);
    socket.write = (piece: Buffer | string, encoding?: unknown, done?: () => void): boolean => {
      const bytes = Buffer.from(piece as string, encoding as BufferEncoding);
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

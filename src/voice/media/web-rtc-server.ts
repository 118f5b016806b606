import type { Logger } from 'pino';
import type {
  MediaServer,
  MediaSettings,
  RefusedOffer,
  WebAnswer,
} from '../../service/voice/voice-module.ts';
import type { AudioCodec } from '../../service/voice/audio-codec.ts';
import { canBind } from './can-bind.ts';
import { FrameClock } from '../../service/voice/frame-clock.ts';
import { createG711Codec } from '../../service/voice/g711-codec.ts';
import { createOpusCodec } from './opus-codec.ts';
import { readOffer } from './read-offer.ts';
import type { Offer } from './read-offer.ts';
import { UdpPorts } from './udp-ports.ts';
import { OfferError, SocketError, PeerConnection } from './peer-connection.ts';
import { WebRtcPeer } from './web-rtc-peer.ts';
import { machineAddresses, writeAnswer } from './write-answer.ts';

/** Maximum number of ports that are tried for an offer: other programs may use some of the range. */
const maxPortTries = 20;

/** How long a check of the ports is valid, in milliseconds: each check takes a port from the calls for a moment. */
const checkValidMs = 5000;

/** Answers the offers of browsers with WebRTC connections to this process. */
export class WebRtcServer implements MediaServer {
  readonly #settings: MediaSettings;
  readonly #log: Logger;
  readonly #ports: UdpPorts | undefined;
  readonly #clock = new FrameClock();
  readonly #connections = new Set<PeerConnection>();
  #isClosed = false;
  #latestCheck: { startedAt: number; problem: Promise<string | undefined> } | undefined;

  constructor(settings: MediaSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    this.#ports = settings.udpPorts && new UdpPorts(settings.udpPorts);
  }

  async answer(sdp: string): Promise<WebAnswer | RefusedOffer> {
    const offer = readOffer(sdp);
    if (typeof offer === 'string') return { refused: 'invalid-offer', reason: offer };
    for (let tries = 0; tries < maxPortTries; tries++) {
      if (this.#isClosed) return { refused: 'stopping', reason: 'The service is stopping.' };
      // Created before a port is taken, since it may fail.
      const codec = await createCodec(offer);
      const port = this.#ports?.take();
      if (this.#ports && port === undefined) {
        codec.close();
        break;
      }
      const answer = await this.#tryPort(offer, codec, port);
      if (answer) return answer;
    }
    const [first, last] = this.#settings.udpPorts ?? [];
    this.#log.error({ first, last }, 'no free UDP port for a web call');
    return { refused: 'no-port', reason: 'All lines are busy.' };
  }

  problem(): Promise<string | undefined> {
    const startedAt = performance.now();
    if (!this.#latestCheck || startedAt - this.#latestCheck.startedAt >= checkValidMs)
      this.#latestCheck = { startedAt, problem: this.#checkPorts() };
    return this.#latestCheck.problem;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  async #checkPorts(): Promise<string | undefined> {
    const { udpPorts, listenAddress } = this.#settings;
    for (let tries = 0; tries < maxPortTries; tries++) {
      const port = this.#ports?.take();
      // Calls use all ports, so ports can be bound.
      if (this.#ports && port === undefined) return undefined;
      const isUsable = await canBind(port, listenAddress);
      if (port !== undefined) this.#ports?.release(port);
      if (isUsable) return undefined;
    }
    const ports = udpPorts ? `the UDP ports ${udpPorts.join(' to ')} (VOICE_UDP_PORTS)` : 'UDP ports';
    return `Web calls cannot use ${ports}: other programs have them, or the system forbids it.`;
  }

  /** Returns undefined if the port is in use. */
  async #tryPort(
    offer: Offer,
    codec: AudioCodec,
    port: number | undefined,
  ): Promise<WebAnswer | RefusedOffer | undefined> {
    const warned = new Set<string>();
    const warn = (reason: string) => {
      if (warned.has(reason)) return;
      warned.add(reason);
      this.#log.warn({ reason }, 'web call: audio or an event was dropped');
    };
    const peer = new WebRtcPeer(codec, this.#clock, warn);
    const connection = new PeerConnection(offer.codec, { port, address: this.#settings.listenAddress }, peer);
    peer.use(connection);
    this.#connections.add(connection);
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      if (port !== undefined) this.#ports?.release(port);
    });
    try {
      const answer = await connection.answer(offer.sdp);
      return { sdp: writeAnswer(answer.sdp, this.#addresses(), answer.port), peer };
    } catch (error) {
      await connection.close();
      if (error instanceof SocketError) return undefined;
      if (!(error instanceof OfferError)) throw error;
      this.#log.info({ err: error }, 'the offer of a web call could not be read');
      return { refused: 'invalid-offer', reason: 'The offer is not a valid session description (SDP).' };
    }
  }

  #addresses(): string[] {
    const { listenAddress, publicAddress } = this.#settings;
    const own = listenAddress === undefined ? this.#machineAddresses() : [listenAddress];
    return [...new Set([...(publicAddress === undefined ? [] : [publicAddress]), ...own])];
  }

  #machineAddresses(): string[] {
    try {
      return machineAddresses();
    } catch (error) {
      // A sandbox may forbid it. With a public address, these addresses are only needed in the local network.
      if (this.#settings.publicAddress === undefined) throw error;
      this.#log.warn({ err: error }, 'the addresses of this machine could not be listed');
      return [];
    }
  }
}

function createCodec({ codec }: Offer): Promise<AudioCodec> | AudioCodec {
  return codec === 'opus' ? createOpusCodec() : createG711Codec(codec);
}

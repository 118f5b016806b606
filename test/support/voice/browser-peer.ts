import type { Socket } from 'node:dgram';
import { createDecoder, createEncoder } from 'libopus-wasm';
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift';
import { createG711Codec } from '../../../src/service/voice/g711-codec.ts';
import type { AudioCodec } from '../../../src/service/voice/audio-codec.ts';
import { withUdpSockets } from '../../../src/voice/media/udp-sockets.ts';
import { framesOf } from './tone.ts';

/** A received audio packet. */
export interface ReceivedPacket {
  timestamp: number;
  sequenceNumber: number;
  samples: Int16Array;
  receivedAt: number;
}

export interface BrowserPeerOptions {
  codec?: 'opus' | 'PCMU' | 'PCMA';
  hasAudio?: boolean;
  hasChannel?: boolean;
  /** Whether it decodes received packets; otherwise they have no samples. */
  isListening?: boolean;
}

/** A WebRTC connection in Node in place of a browser: it makes the offer and opens the data channel `events`. */
export class BrowserPeer {
  readonly connection: RTCPeerConnection;
  readonly received: ReceivedPacket[] = [];
  readonly events: unknown[] = [];
  readonly channel: ReturnType<RTCPeerConnection['createDataChannel']> | undefined;
  readonly codec: AudioCodec;
  readonly #track = new MediaStreamTrack({ kind: 'audio' });
  readonly #sockets: Socket[] = [];
  // Both overflow within seconds.
  #sequenceNumber = 65_500;
  #timestamp = 4_294_960_000;

  private constructor(
    codec: AudioCodec,
    { codec: name = 'opus', hasAudio = true, hasChannel = true, isListening = true }: BrowserPeerOptions,
  ) {
    this.codec = codec;
    const types = { opus: 111, PCMU: 0, PCMA: 8 };
    const nothing = new Int16Array(0);
    this.connection = new RTCPeerConnection({
      codecs: {
        audio: [
          new RTCRtpCodecParameters({
            mimeType: `audio/${name}`,
            clockRate: codec.clockRate,
            channels: name === 'opus' ? 2 : 1,
            payloadType: types[name],
          }),
        ],
      },
      ...{ iceUseIpv4: false, iceUseIpv6: false, iceAdditionalHostAddresses: ['127.0.0.1'] },
      iceInterfaceAddresses: { udp4: '127.0.0.1' },
      // Nothing answers there, unlike at the default, which is on the internet.
      iceServers: [{ urls: 'stun:127.0.0.1:9' }],
      iceStunGatherTimeout: 0.01,
    });
    if (hasAudio) this.connection.addTrack(this.#track);
    if (hasChannel) this.channel = this.connection.createDataChannel('events');
    this.channel?.onMessage.subscribe((text) => this.events.push(JSON.parse(text.toString())));
    this.connection.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe(({ header: { timestamp, sequenceNumber }, payload }) => {
        const samples = isListening ? this.codec.decode(payload) : nothing;
        this.received.push({ timestamp, sequenceNumber, samples, receivedAt: performance.now() });
      });
    });
  }

  static async create(options: BrowserPeerOptions = {}): Promise<BrowserPeer> {
    const { codec = 'opus' } = options;
    return new BrowserPeer(codec === 'opus' ? await createStereoOpus() : createG711Codec(codec), options);
  }

  async offer(): Promise<string> {
    const offer = await this.connection.createOffer();
    await withUdpSockets(
      (socket) => this.#sockets.push(socket),
      () => this.connection.setLocalDescription(offer),
    );
    return this.connection.localDescription?.sdp ?? '';
  }

  async accept(sdp: string): Promise<void> {
    await this.connection.setRemoteDescription({ type: 'answer', sdp });
  }

  /** Encodes audio into packets, as the next part of the stream. */
  packets(samples: Int16Array): RtpPacket[] {
    return framesOf(samples, this.codec.rate * 0.02).map((frame) => this.packet(this.codec.encode(frame)));
  }

  /** Puts 20 ms of encoded audio into a packet, as the next part of the stream. */
  packet(payload: Buffer): RtpPacket {
    this.#sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + this.codec.clockRate * 0.02) >>> 0;
    const header = new RtpHeader({ sequenceNumber: this.#sequenceNumber, timestamp: this.#timestamp });
    return new RtpPacket(header, payload);
  }

  sendPacket(packet: RtpPacket): void {
    this.#track.writeRtp(packet);
  }

  async close(): Promise<void> {
    await this.connection.close();
    this.codec.close();
    // werift leaves them open.
    for (const socket of this.#sockets) if (isOpen(socket)) socket.close();
  }
}

function isOpen(socket: Socket): boolean {
  try {
    socket.address();
    return true;
  } catch {
    return false;
  }
}

/** Opus as browsers send it: 48 kHz, stereo. Decodes to 48 kHz, mono. */
export async function createStereoOpus(): Promise<AudioCodec> {
  const encoder = await createEncoder({ sampleRate: 48_000, channels: 2, fec: true, packetLossPercent: 5 });
  const decoder = await createDecoder({ sampleRate: 48_000, channels: 1 });
  return {
    rate: 48_000,
    clockRate: 48_000,
    encode: (frame) => {
      const stereo = Int16Array.from({ length: frame.length * 2 }, (_, index) => frame[index >> 1] ?? 0);
      return Buffer.from(encoder.encode(stereo));
    },
    decode: (payload) => decoder.decode(payload),
    conceal: () => decoder.decodePacketLoss(960),
    close: () => {
      encoder.free();
      decoder.free();
    },
  };
}

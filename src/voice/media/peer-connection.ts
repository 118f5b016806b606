import type { RemoteInfo, Socket } from 'node:dgram';
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift';
import { classes, methods, parseMessage, useSdesMid } from 'werift';
import type { RTCDataChannel, RTCDtlsTransport, RTCIceTransport } from 'werift';
import { acceptedRecords, isDtls } from './check-dtls.ts';
import { guardSctp } from './check-sctp.ts';
import type { Offer } from './read-offer.ts';
import { filterDatagrams, withUdpSockets } from './udp-sockets.ts';

/** Largest event of the data channel, in bytes. */
export const maxEventBytes = 65_536;

/** Maximum number of addresses from which a browser may send: one for each of its network interfaces and relays. */
const maxAddresses = 32;

/** Maximum number of sources (SSRC) of RTP packets. A browser needs one, for its only audio track. */
const maxSources = 16;

const codecParameters: Record<Offer['codec'], ConstructorParameters<typeof RTCRtpCodecParameters>[0]> = {
  opus: {
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: 96,
    // Asks the browser for in-band FEC, and to omit frequencies that are not decoded.
    parameters: 'minptime=10;useinbandfec=1;maxplaybackrate=16000',
  },
  PCMU: { mimeType: 'audio/PCMU', clockRate: 8000, channels: 1, payloadType: 0 },
  PCMA: { mimeType: 'audio/PCMA', clockRate: 8000, channels: 1, payloadType: 8 },
};

/** Maximum number of fragments of DTLS handshake messages. A certificate takes two or three. */
const maxFragments = 64;

/** Receives the events of a connection. */
export interface ConnectionListener {
  onConnected(): void;
  onChannel(channel: RTCDataChannel): void;
  onPacket(sequenceNumber: number, payload: Buffer): void;
  /** The browser sent an invalid packet or message on the data channel. */
  onInvalidData(): void;
  onClosed(): void;
}

export interface ConnectionSettings {
  /** UDP port; undefined: any. */
  port: number | undefined;
  /** Address of the interface; undefined: all. */
  address: string | undefined;
}

/** The socket of a connection could not be opened. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
}

/** werift cannot read the offer. */
export class OfferError extends Error {
  override readonly name = 'OfferError';
}

/** One WebRTC connection: a thin layer over werift, which checks what werift does not. */
export class PeerConnection {
  readonly #connection: RTCPeerConnection;
  readonly #listener: ConnectionListener;
  readonly #track = new MediaStreamTrack({ kind: 'audio' });
  #ice: RTCIceTransport['connection'] | undefined;
  #socket: Socket | undefined;
  #socketError: Error | undefined;
  /** The addresses that sent authenticated connectivity checks, the latest last. */
  readonly #admitted = new Set<string>();
  #dtls: RTCDtlsTransport | undefined;
  /** Whether the DTLS handshake is complete. */
  #isEncrypted = false;
  #sequenceNumber = 0;
  readonly #closed = Promise.withResolvers<undefined>();
  #isClosed = false;
  /** Resolves when the socket is closed. */
  readonly closed = this.#closed.promise;
  /** Time of the browser's latest packet, in milliseconds of `performance.now`. */
  lastSeen = performance.now();

  constructor(codec: Offer['codec'], { port, address }: ConnectionSettings, listener: ConnectionListener) {
    this.#listener = listener;
    const isIPv6 = address?.includes(':') ?? false;
    this.#connection = new RTCPeerConnection({
      codecs: { audio: [new RTCRtpCodecParameters(codecParameters[codec])], video: [] },
      headerExtensions: { audio: [useSdesMid()], video: [] },
      // ICE lite: sends nothing to the offer's addresses, uses no STUN server, and only answers connectivity checks.
      iceLite: true,
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceUseTcp: false,
      iceAdditionalHostAddresses: [address ?? '0.0.0.0'],
      ...(address !== undefined && { iceInterfaceAddresses: { [isIPv6 ? 'udp6' : 'udp4']: address } }),
      // werift rejects a range of one port, but tries only integers.
      ...(port !== undefined && { icePortRange: [port, port + 0.5] as [number, number] }),
      maxMessageSize: maxEventBytes,
    });
  }

  /**
   * Returns the port and the answer, whose candidates have no usable address yet.
   *
   * @throws SocketError if the socket cannot be opened; OfferError
   */
  async answer(offer: string): Promise<{ sdp: string; port: number }> {
    const connection = this.#connection;
    connection.onDataChannel.subscribe((channel) => {
      this.#listener.onChannel(channel);
    });
    connection.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe(({ header, payload }) => {
        this.lastSeen = performance.now();
        this.#listener.onPacket(header.sequenceNumber, payload);
      });
    });
    connection.connectionStateChange.subscribe((state) => {
      if (state === 'failed') void this.close();
    });
    try {
      await connection.setRemoteDescription({ type: 'offer', sdp: offer });
    } catch (error) {
      throw new OfferError('The offer cannot be read.', { cause: error });
    }
    const [transceiver] = connection.getTransceivers();
    const [ice] = connection.iceTransports;
    const [dtls] = connection.dtlsTransports;
    if (!transceiver || !ice || !dtls) throw new OfferError('The offer has no usable media section.');
    transceiver.setDirection('sendrecv');
    await transceiver.sender.replaceTrack(this.#track);
    this.#ice = ice.connection;
    this.#watch(dtls);
    if (connection.sctpTransport)
      guardSctp(connection.sctpTransport, () => {
        this.#listener.onInvalidData();
      });
    const failed = Promise.withResolvers<never>();
    const answered = withUdpSockets(
      (socket) => {
        this.#useSocket(socket, failed.reject);
      },
      () => connection.setLocalDescription(),
    );
    await Promise.race([answered, failed.promise]);
    const sdp = connection.localDescription?.sdp;
    const candidate = ice.connection.localCandidates[0];
    if (sdp === undefined || !candidate) throw new SocketError('No UDP port could be opened.');
    return { sdp, port: candidate.port };
  }

  /** Sends an audio packet; it is dropped if the browser is not connected. */
  send(payload: Buffer, timestamp: number): void {
    this.#sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    const header = new RtpHeader({ sequenceNumber: this.#sequenceNumber, timestamp });
    this.#track.writeRtp(new RtpPacket(header, payload));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#connection.close().catch(() => undefined);
    // werift leaves the socket open if the connection was not established.
    if (this.#socket && this.#socketError === undefined) closeSocket(this.#socket);
    this.#listener.onClosed();
    this.#closed.resolve(undefined);
  }

  #watch(dtls: RTCDtlsTransport): void {
    this.#dtls = dtls;
    dtls.onStateChange.subscribe((state) => {
      if (state === 'connected') {
        this.#isEncrypted = true;
        this.#listener.onConnected();
      } else if (state === 'closed' || state === 'failed') void this.close();
    });
  }

  #useSocket(socket: Socket, onError: (error: Error) => void): void {
    socket.on('error', (error) => {
      this.#socketError = error;
      onError(new SocketError(error.message, { cause: error }));
    });
    socket.once('listening', () => {
      this.#socket = socket;
    });
    filterDatagrams(socket, (datagram, sender) => this.#accept(datagram, sender));
  }

  /**
   * Returns the part of a datagram that werift may process. werift itself would answer and use datagrams from any
   * address.
   */
  #accept(datagram: Buffer, sender: RemoteInfo): Buffer | undefined {
    // werift also removes the zone of an IPv6 address.
    const [host = ''] = sender.address.split('%');
    const address = addressOf({ host, port: sender.port });
    // RFC 7983: STUN.
    if ((datagram[0] ?? 0) <= 3) return this.#admits(datagram, address) ? datagram : undefined;
    if (!this.#admitted.has(address)) return undefined;
    if (isDtls(datagram)) return this.#acceptRecords(datagram);
    return this.#hasRoom(datagram) ? datagram : undefined;
  }

  #acceptRecords(datagram: Buffer): Buffer {
    const dtls = this.#dtls?.dtls;
    // werift keeps the fragments of all messages until the last one arrives.
    const fragments = dtls?.['bufferFragmentedHandshakes'] as unknown[] | undefined;
    if (fragments && fragments.length > maxFragments) fragments.length = 0;
    return acceptedRecords(datagram, this.#isEncrypted ? dtls : undefined);
  }

  /** Whether werift may process an RTP packet. It keeps the state of each source. */
  #hasRoom(datagram: Buffer): boolean {
    if (!this.#dtls?.srtpStarted || !isRtp(datagram)) return true;
    const { srtpSSRCStates: sources } = this.#dtls.srtp.remoteContext;
    return datagram.readUInt32BE(8) in sources || Object.keys(sources).length < maxSources;
  }

  /** Whether a STUN message is a connectivity check of the browser. Admits its address then. */
  #admits(datagram: Buffer, address: string): boolean {
    const ice = this.#ice;
    if (!ice) return false;
    const message = parseMessage(datagram, Buffer.from(ice.localPassword));
    if (message?.messageClass !== classes.REQUEST || message.messageMethod !== methods.BINDING) return false;
    const [localUser] = String(message.getAttributeValue('USERNAME')).split(':');
    if (localUser !== ice.localUsername) return false;
    this.lastSeen = performance.now();
    this.#admit(address, ice);
    if (message.attributesKeys.includes('USE-CANDIDATE')) {
      queueMicrotask(() => {
        this.#moveTo(address);
      });
    }
    return true;
  }

  /** A browser behind a NAT or a TURN server may change its address. It then sends a check from the new one. */
  #admit(address: string, ice: RTCIceTransport['connection']): void {
    this.#admitted.delete(address);
    this.#admitted.add(address);
    // werift keeps the ids of all checks, and a candidate pair for each address.
    for (const pair of ice.checkList) (pair['requestTransactionIds'] as Set<string>).clear();
    const [oldest] = this.#admitted;
    if (this.#admitted.size <= maxAddresses || oldest === undefined) return;
    this.#admitted.delete(oldest);
    ice.checkList = ice.checkList.filter(
      (pair) => pair === ice.nominated || this.#admitted.has(addressOf(pair.remoteCandidate)),
    );
    const kept = ice.checkList.map(({ remoteCandidate }) => remoteCandidate);
    ice.remoteCandidates.splice(0, Infinity, ...kept);
  }

  /** Sends to the browser's latest nominated address, for example after a change from Wi-Fi to a mobile network. */
  #moveTo(address: string): void {
    const chosen = this.#ice?.checkList.find(({ remoteCandidate }) => addressOf(remoteCandidate) === address);
    if (this.#ice?.nominated && chosen) this.#ice.nominated = chosen;
  }
}

const addressOf = ({ host, port }: { host: string; port: number }) => `${host} ${port}`;

/** RFC 5761, section 4: whether a datagram is RTP and not RTCP. */
const isRtp = (datagram: Buffer) => {
  const [first = 0, second = 0] = datagram;
  const payloadType = second & 0x7f;
  return datagram.length >= 12 && first >= 128 && first <= 191 && (payloadType < 64 || payloadType > 95);
};

function closeSocket(socket: Socket): void {
  try {
    socket.close();
  } catch {
    // It is already closed.
  }
}

import type { RTCSctpTransport } from 'werift';

/** RFC 9260, section 3: sizes in bytes. */
const commonHeaderSize = 12;
const chunkHeaderSize = 4;
const parameterHeaderSize = 4;
const initFieldsSize = 16;
const sackFieldsSize = 12;
const gapAckBlockSize = 4;

/** Chunk types of RFC 9260, RFC 6525 (RE-CONFIG) and RFC 3758 (FORWARD TSN). werift knows no others. */
const chunkType = {
  DATA: 0,
  INIT: 1,
  INIT_ACK: 2,
  SACK: 3,
  HEARTBEAT: 4,
  HEARTBEAT_ACK: 5,
  ABORT: 6,
  SHUTDOWN: 7,
  SHUTDOWN_ACK: 8,
  ERROR: 9,
  COOKIE_ECHO: 10,
  COOKIE_ACK: 11,
  SHUTDOWN_COMPLETE: 14,
  RE_CONFIG: 130,
  FORWARD_TSN: 192,
} as const;
const chunkTypes: ReadonlySet<number> = new Set(Object.values(chunkType));

/** Chunks that contain parameters, and the size of the fields before them. */
const parametersAfter: ReadonlyMap<number, number> = new Map([
  [chunkType.INIT, initFieldsSize],
  [chunkType.INIT_ACK, initFieldsSize],
  [chunkType.HEARTBEAT, 0],
  [chunkType.HEARTBEAT_ACK, 0],
  [chunkType.ABORT, 0],
  [chunkType.ERROR, 0],
  [chunkType.RE_CONFIG, 0],
]);

/** A DATA chunk: a message or a fragment of one. */
interface DataChunk {
  tsn: number;
  streamId: number;
}
type InboundStreams = Readonly<Record<number, { reassembly: readonly unknown[] } | undefined>>;

/**
 * Maximum number of DATA chunks that are kept until their messages are complete, and the maximum distance of a chunk from
 * the last one in order. An event of 64 KiB takes fewer than 60 chunks of a browser.
 */
const maxPendingChunks = 256;
/** Maximum number of the browser's streams. It needs one, for its only data channel. */
const maxStreams = 16;
/** Maximum number of unsent answers to messages that open data channels. */
const maxPendingAnswers = 16;
/** RFC 8832: payload protocol of messages that open data channels. */
const channelProtocol = 50;

type Message = [streamId: number, payloadProtocol: number, data: Buffer];

/**
 * Protects the process from a browser's packets: werift loops without end for some, keeps others without limit, and does
 * not catch the errors that it throws for others, which would end the process.
 *
 * @param onDropped called when a packet or message could not be processed
 */
export function guardSctp(transport: RTCSctpTransport, onDropped: () => void): void {
  const { sctp } = transport;
  const handleData = sctp['handleData'] as (packet: Buffer) => Promise<void>;
  const receive = transport['datachannelReceive'] as (...message: Message) => Promise<void>;
  sctp.transport.onData = (packet) => {
    const unacknowledged = sctp['sentQueue'] as readonly unknown[];
    if (isValidSctp(packet, unacknowledged.length)) handleData.call(sctp, packet).catch(onDropped);
    else onDropped();
  };
  const receiveData = sctp['receiveDataChunk'] as (chunk: DataChunk) => void;
  sctp['receiveDataChunk'] = (chunk: DataChunk) => {
    if (hasRoom(sctp, chunk)) receiveData.call(sctp, chunk);
    else onDropped();
  };
  const skip = sctp.receiveForwardTsnChunk.bind(sctp);
  sctp.receiveForwardTsnChunk = (chunk) => {
    const streams = sctp['inboundStreams'] as InboundStreams;
    if (chunk.streams.every(([streamId]) => streams[streamId])) skip(chunk);
    else onDropped();
  };
  sctp.onReceive.allUnsubscribe();
  sctp.onReceive.subscribe((...message) => {
    const [, protocol] = message;
    const answers = transport['dataChannelQueue'] as readonly unknown[];
    if (protocol === channelProtocol && answers.length + sctp.outboundQueue.length > maxPendingAnswers)
      onDropped();
    else receive(...message).catch(onDropped);
  });
}

/** Whether werift may keep a DATA chunk until its message is complete, and the chunks before it have arrived. */
function hasRoom(sctp: RTCSctpTransport['sctp'], { tsn, streamId }: DataChunk): boolean {
  const streams = sctp['inboundStreams'] as InboundStreams;
  const distance = (tsn - Number(sctp['lastReceivedTsn'])) >>> 0;
  // It is a duplicate, of which nothing is kept.
  if (distance === 0 || distance >= 2 ** 31) return true;
  const pending = Object.values(streams).reduce((sum, stream) => sum + (stream?.reassembly.length ?? 0), 0);
  const isKnown = streams[streamId] !== undefined;
  return (
    distance <= maxPendingChunks &&
    pending < maxPendingChunks &&
    (isKnown || Object.keys(streams).length < maxStreams)
  );
}

/**
 * Whether werift can process an SCTP packet in a short time. It verifies the checksum and the verification tag itself.
 *
 * @param unacknowledged number of DATA chunks that the browser has yet to acknowledge
 */
function isValidSctp(packet: Buffer, unacknowledged: number): boolean {
  if (packet.length < commonHeaderSize) return false;
  let rest = packet.subarray(commonHeaderSize);
  while (rest.length >= chunkHeaderSize) {
    const type = rest.readUInt8(0);
    const length = rest.readUInt16BE(2);
    if (!chunkTypes.has(type) || length < chunkHeaderSize || length > rest.length) return false;
    const value = rest.subarray(chunkHeaderSize, length);
    const parametersStart = parametersAfter.get(type);
    if (parametersStart !== undefined && !hasValidParameters(value.subarray(parametersStart))) return false;
    if (type === chunkType.SACK && !hasValidGaps(value, unacknowledged)) return false;
    rest = rest.subarray(padded(length));
  }
  return true;
}

function hasValidParameters(parameters: Buffer): boolean {
  let rest = parameters;
  while (rest.length >= parameterHeaderSize) {
    const length = rest.readUInt16BE(2);
    // werift would read a parameter without length in an endless loop.
    if (length < parameterHeaderSize || length > rest.length) return false;
    rest = rest.subarray(padded(length));
  }
  return true;
}

/** Whether the gap ack blocks of a SACK are in order and acknowledge only sent chunks: werift visits each chunk in them. */
function hasValidGaps(value: Buffer, unacknowledged: number): boolean {
  if (value.length < sackFieldsSize) return false;
  const blocks = value.subarray(sackFieldsSize, sackFieldsSize + value.readUInt16BE(8) * gapAckBlockSize);
  let last = 0;
  for (let index = 0; index + gapAckBlockSize <= blocks.length; index += gapAckBlockSize) {
    const start = blocks.readUInt16BE(index);
    const end = blocks.readUInt16BE(index + 2);
    if (start <= last || end < start || end > unacknowledged) return false;
    last = end;
  }
  return true;
}

/** Chunks and parameters are padded to a multiple of four bytes. */
function padded(length: number): number {
  return (length + 3) & ~3;
}

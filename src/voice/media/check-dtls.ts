import type { DtlsSocket } from 'werift';

/** RFC 6347, section 4.1: size of a record's header in bytes. */
const recordHeaderSize = 13;
/** RFC 5246, section 6.2.1: content types of records. */
const contentType = { change_cipher_spec: 20, alert: 21, handshake: 22, application_data: 23 } as const;
const contentTypes: ReadonlySet<number> = new Set(Object.values(contentType));

/** RFC 7983: whether a datagram is DTLS, by its first byte. */
export function isDtls(datagram: Buffer): boolean {
  const [first = 0] = datagram;
  return first >= 20 && first <= 63;
}

/**
 * Returns the records of a datagram that werift may process. It would close the connection for a record of unknown type,
 * and for an alert that is not encrypted, which anyone can send.
 *
 * @param dtls the connection after its handshake; undefined before, when records are not encrypted
 */
export function acceptedRecords(datagram: Buffer, dtls: DtlsSocket | undefined): Buffer {
  const accepted: Buffer[] = [];
  let rest = datagram;
  while (rest.length >= recordHeaderSize) {
    const record = rest.subarray(0, recordHeaderSize + rest.readUInt16BE(11));
    if (contentTypes.has(record.readUInt8(0)) && (!dtls || isEncrypted(record, dtls))) accepted.push(record);
    rest = rest.subarray(record.length);
  }
  return Buffer.concat(accepted);
}

/**
 * Whether a record is encrypted. In epoch 0, none is. In later epochs, werift decrypts records before it uses them, except
 * alerts.
 */
function isEncrypted(record: Buffer, dtls: DtlsSocket): boolean {
  const epoch = record.readUInt16BE(3);
  if (epoch === 0) return false;
  return record.readUInt8(0) !== contentType.alert || canDecrypt(record, epoch, dtls);
}

function canDecrypt(record: Buffer, epoch: number, { cipher, sessionType }: DtlsSocket): boolean {
  const header = {
    type: record.readUInt8(0),
    version: record.readUInt16BE(1),
    epoch,
    sequenceNumber: record.readUIntBE(5, 6),
  };
  try {
    cipher.cipher.decrypt(sessionType, record.subarray(recordHeaderSize), header);
    return true;
  } catch {
    return false;
  }
}

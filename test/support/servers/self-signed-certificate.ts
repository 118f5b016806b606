import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate signed with its own key, valid for a day, and the private key. */
export interface SelfSignedCertificate {
  cert: string;
  key: string;
}

/** Creates a self-signed certificate for a host (RFC 5280), so that the repository contains no private key. */
export function selfSignedCertificate(host: string): SelfSignedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from(host)))));
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const day = 86_400_000;
  const names = sequence(der(0x82, Buffer.from(host)));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() - day / 2), utcTime(Date.now() + day / 2)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names)))),
  );
  const signature = sign('sha256', signed, privateKey);
  const cert = sequence(signed, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  const lines = cert.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const set = (...parts: Buffer[]) => der(0x31, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

/** `YYMMDDHHMMSSZ` */
const utcTime = (at: number) =>
  der(0x17, Buffer.from(new Date(at).toISOString().replace(/^20|[-:T]|\.\d+/g, '')));

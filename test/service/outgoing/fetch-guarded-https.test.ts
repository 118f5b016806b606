import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { AllowedAddresses } from '../../../src/service/outgoing/allowed-addresses.ts';
import { createFetchGuarded } from '../../../src/service/outgoing/fetch-guarded.ts';
import { selfSignedCertificate } from '../../support/servers/self-signed-certificate.ts';
import { atEnd } from '../../support/service/service.ts';

const certificate = selfSignedCertificate('shop.example');
const asked: (string | false | undefined)[] = [];
const server = createServer(certificate, (request, response) => {
  asked.push((request.socket as { servername?: string | false }).servername);
  response.end('by https');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
atEnd(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const reach = (host: string) => {
  const allowed = new AllowedAddresses([`${host}:${port}`]);
  const fetchGuarded = createFetchGuarded(allowed, () =>
    Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  );
  return fetchGuarded(`https://${host}:${port}/`);
};

test('requires a trusted certificate for https', async () => {
  await assert.rejects(reach('shop.example'), { name: 'OutgoingError', code: 'unreachable' });
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate.cert]);
  try {
    assert.equal((await reach('shop.example')).text, 'by https');
    assert.deepEqual(asked, ['shop.example']);
    await assert.rejects(reach('other.example'), { name: 'OutgoingError', code: 'unreachable' });
    assert.equal(asked.length, 1);
  } finally {
    setDefaultCACertificates(trusted);
  }
});

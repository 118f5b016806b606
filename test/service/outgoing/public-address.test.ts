import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowedAddresses } from '../../../src/service/outgoing/allowed-addresses.ts';
import { isPublicAddress } from '../../../src/service/outgoing/public-address.ts';

const inside: [title: string, ...addresses: string[]][] = [
  ['this machine', '127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::1', '::'],
  ['private networks', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
  ['metadata services', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255'],
  ['reserved', '240.0.0.1', '192.0.0.8', '192.0.2.1', '198.18.0.1', '203.0.113.9', '2001:db8::1', '4000::1'],
  ['IPv4 inside IPv6', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:127.0.0.1', '::127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:5db8:d822::1', '2001:0:5ef5::1'],
  ['text that is not an address', '', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5'],
];
for (const [title, ...addresses] of inside) {
  test(`${title}: not public`, () => {
    assert.deepEqual(addresses.filter(isPublicAddress), []);
  });
}

test('recognizes public addresses', () => {
  const some = ['93.184.216.34', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'];
  assert.deepEqual(some.filter(isPublicAddress), some);
  // IPv4 addresses embedded in IPv6.
  assert.ok(isPublicAddress('64:ff9b::5db8:d822'));
  assert.ok(isPublicAddress('::ffff:93.184.216.34'));
});

test('permits the exceptions only', () => {
  const allowed = new AllowedAddresses([
    'intranet:8080',
    '127.0.0.1:9000',
    '[::1]:9000',
    '10.1.0.0/16',
    'fd00::5',
  ]);
  const permits = (host: string, port: number, address: string) => allowed.permits(host, port, address);
  assert.ok(permits('intranet', 8080, '192.168.0.7'));
  assert.ok(permits('INTRANET', 8080, '192.168.0.7'));
  assert.ok(!permits('intranet', 80, '192.168.0.7'));
  assert.ok(!permits('other', 8080, '192.168.0.7'));
  assert.ok(permits('127.0.0.1', 9000, '127.0.0.1'));
  assert.ok(permits('::1', 9000, '::1'));
  assert.ok(!permits('::1', 9001, '::1'));
  assert.ok(permits('any', 80, '10.1.255.1'));
  assert.ok(permits('any', 80, '::ffff:10.1.255.1'));
  assert.ok(!permits('any', 80, '10.2.0.1'));
  assert.ok(permits('any', 443, 'fd00::5'));
  assert.ok(!permits('any', 443, 'fd00::6'));
  assert.throws(() => new AllowedAddresses(['10.0.0.0/33']), RangeError);
  assert.throws(() => new AllowedAddresses(['intranet']), RangeError);
});

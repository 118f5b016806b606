import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { AllowedAddresses } from '../../../src/service/outgoing/allowed-addresses.ts';
import { createFetchGuarded } from '../../../src/service/outgoing/fetch-guarded.ts';
import type { OutgoingErrorCode } from '../../../src/service/outgoing/outgoing-error.ts';
import { OutgoingError } from '../../../src/service/outgoing/outgoing-error.ts';
import { startLoopbackServer } from '../../support/servers/loopback-server.ts';
import type { LoopbackHandler } from '../../support/servers/loopback-server.ts';
import { atEnd } from '../../support/service/service.ts';

const routes: Record<string, LoopbackHandler> = {
  '/echo': ({ method, headers, body }) => ({ method, headers, body }),
  '/to-echo': (_, response) => void response.writeHead(302, { Location: '/echo' }).end('gone'),
  '/keep': (_, response) => void response.writeHead(307, { Location: '/echo' }).end(),
  '/loop': (_, response) => void response.writeHead(302, { Location: '/loop' }).end(),
  '/inside': (_, response) => void response.writeHead(302, { Location: `${inside.url}/secret` }).end(),
  '/by-name': (_, response) => void response.writeHead(301, { Location: 'http://intranet.example/' }).end(),
  '/to-file': (_, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  '/to-login': (_, response) => void response.writeHead(302, { Location: 'http://a:b@shop.example/' }).end(),
  // As UTF-8 bytes, which Node writes for code units up to U+00FF.
  '/to-word': (_, response) =>
    void response.writeHead(302, { Location: Buffer.from('/echo?q=größe–قميص').toString('latin1') }).end(),
  '/to-latin1': (_, response) => void response.writeHead(302, { Location: '/echo?q=gr\xf6\xdfe' }).end(),
  '/elsewhere': (_, response) => void response.writeHead(302, { Location: `${elsewhere.url}/echo` }).end(),
  '/silent': () => undefined,
  '/slow': (_, response) => {
    response.write('x');
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => {
      clearInterval(timer);
    });
  },
  '/endless': (_, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  },
  '/gzip': (_, response) => void response.setHeader('Content-Encoding', 'gzip').end(gzipSync('short')),
  '/brotli': (_, response) =>
    void response.setHeader('Content-Encoding', 'br').end(brotliCompressSync('short')),
  '/gzip-empty': (_, response) => void response.setHeader('Content-Encoding', 'gzip').end(),
  '/brotli-empty': (_, response) => void response.setHeader('Content-Encoding', 'br').end(),
  '/bomb': (_, response) => void response.setHeader('Content-Encoding', 'gzip').end(bomb),
  '/broken': (_, response) => void response.setHeader('Content-Encoding', 'gzip').end('no gzip'),
  '/odd': (_, response) => void response.setHeader('Content-Encoding', 'utf-8').end('short'),
  '/twice': (_, response) => void response.setHeader('Content-Encoding', 'br, gzip').end(gzipSync('short')),
  '/cut': (_, response) => {
    response.writeHead(200, { 'Content-Length': '10' }).write('x', () => response.destroy());
  },
  '/missing': (_, response) => {
    response.statusCode = 404;
    return { error: 'nothing here' };
  },
};
const bomb = gzipSync(Buffer.alloc(50_000_000));

const handle: LoopbackHandler = (request, response) =>
  routes[request.path.split('?')[0] ?? '']?.(request, response) ?? undefined;
const server = await startLoopbackServer(handle);
const elsewhere = await startLoopbackServer(handle);
const inside = await startLoopbackServer(() => 'a secret');
for (const each of [server, elsewhere, inside]) atEnd(() => each.close());

const lookups: string[] = [];
const fetchGuarded = createFetchGuarded(
  new AllowedAddresses([server.address, elsewhere.address]),
  (hostname) => {
    lookups.push(hostname);
    return Promise.resolve([{ address: '192.168.0.9', family: 4 }]);
  },
);

const failsWith = (code: OutgoingErrorCode) => (error: unknown) => {
  assert.ok(error instanceof OutgoingError, String(error));
  assert.equal(error.code, code, error.message);
  // The owner of the address can read the error, which must not reveal anything about the internal network.
  assert.doesNotMatch(error.message, /127\.|192\.168|intranet|hunter2/);
  return true;
};

describe('a response', () => {
  test('has status, headers and body, whatever the status is', async () => {
    const found = await fetchGuarded(`${server.url}/missing`);
    assert.deepEqual([found.status, JSON.parse(found.text)], [404, { error: 'nothing here' }]);
    assert.equal(found.headers.get('Content-Type'), 'application/json');
    assert.equal(found.url, `${server.url}/missing`);
  });

  test('is sent unchanged', async () => {
    const headers = { 'X-Key': 'hunter2', 'Content-Type': 'application/json', 'User-Agent': 'test' };
    const { text } = await fetchGuarded(`${server.url}/echo`, { method: 'PUT', headers, body: '{"ä":1}' });
    const seen = JSON.parse(text) as { method: string; body: string; headers: Record<string, string> };
    assert.deepEqual([seen.method, seen.body], ['PUT', '{"ä":1}']);
    assert.deepEqual(
      [seen.headers['x-key'], seen.headers['content-type'], seen.headers['user-agent']],
      ['hunter2', 'application/json', 'test'],
    );
  });

  test('is decompressed', async () => {
    for (const path of ['/gzip', '/brotli']) {
      assert.equal((await fetchGuarded(server.url + path)).text, 'short');
    }
  });

  test('is read as it is if its encoding is unknown', async () => {
    const { status, text } = await fetchGuarded(`${server.url}/odd`);
    assert.deepEqual([status, text], [200, 'short']);
  });

  test('is refused if its compression is unknown', async () => {
    await assert.rejects(fetchGuarded(`${server.url}/twice`), /unsupported content encoding/);
  });

  test('may be empty, though it has an encoding', async () => {
    for (const path of ['/gzip-empty', '/brotli-empty']) {
      assert.equal((await fetchGuarded(server.url + path)).text, '');
    }
  });
});

describe('a refused address', () => {
  const spellings = [
    `http://127.0.0.1:1/`,
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.01/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://[fd00:ec2::254]/',
    'https://10.0.0.1/',
    'http://100.64.0.1/',
  ];
  for (const url of spellings) {
    test(`is refused as ${url}`, async () => {
      await assert.rejects(fetchGuarded(url), failsWith('refused-address'));
    });
  }

  test('is refused behind a host name', async () => {
    await assert.rejects(fetchGuarded('http://intranet.example/'), failsWith('refused-address'));
    assert.deepEqual(lookups, ['intranet.example']);
  });

  test('is refused as another port of a permitted host', async () => {
    await assert.rejects(fetchGuarded(`${inside.url}/secret`), failsWith('refused-address'));
  });

  test('is refused as the target of a redirect, by address or name', async () => {
    await assert.rejects(fetchGuarded(`${server.url}/inside`), failsWith('refused-address'));
    await assert.rejects(fetchGuarded(`${server.url}/by-name`), failsWith('refused-address'));
    assert.deepEqual(inside.requests, []);
  });

  for (const url of [
    'ftp://shop.example/',
    'file:///etc/passwd',
    'javascript:1',
    'shop.example',
    '',
    'http://',
    'http://anna:hunter2@shop.example/',
  ]) {
    test(`refuses the invalid address “${url}”`, async () => {
      await assert.rejects(fetchGuarded(url), failsWith('bad-url'));
    });
  }

  test('refuses a redirect to an address other than http or https', async () => {
    await assert.rejects(fetchGuarded(`${server.url}/to-file`), failsWith('bad-url'));
    await assert.rejects(fetchGuarded(`${server.url}/to-login`), failsWith('bad-url'));
  });
});

test('connects to the address that was checked, and resolves a name for each connection', async () => {
  const answers = ['127.0.0.2', '127.0.0.1'];
  const outside = await startLoopbackServer(
    (_, response) => void response.setHeader('Connection', 'close').end('out'),
    '127.0.0.2',
  );
  atEnd(() => outside.close());
  let lookupCount = 0;
  const fetchRebound = createFetchGuarded(new AllowedAddresses(['127.0.0.2/32']), () =>
    Promise.resolve([{ address: answers[Math.min(lookupCount++, 1)] ?? '', family: 4 }]),
  );
  const url = `http://changing.example:${new URL(outside.url).port}/`;
  assert.equal((await fetchRebound(url)).text, 'out');
  assert.equal(lookupCount, 1);
  await assert.rejects(fetchRebound(url), failsWith('refused-address'));
  assert.equal(lookupCount, 2);
});

test('connects only to permitted addresses of several', async () => {
  const outside = await startLoopbackServer(() => 'out', '127.0.0.2');
  atEnd(() => outside.close());
  const mixed = createFetchGuarded(new AllowedAddresses(['127.0.0.2/32']), () =>
    Promise.resolve(['127.0.0.1', '10.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))),
  );
  assert.equal((await mixed(`http://mixed.example:${new URL(outside.url).port}/`)).text, '"out"');
});

test('fails with unreachable for a name without an address or server', async () => {
  const fetchUnresolved = createFetchGuarded(new AllowedAddresses(['127.0.0.2/32']), (hostname) =>
    hostname === 'none.example'
      ? Promise.reject(new Error('ENOTFOUND none.example'))
      : Promise.resolve(hostname === 'empty.example' ? [] : [{ address: '127.0.0.2', family: 4 }]),
  );
  for (const host of ['none.example', 'empty.example', 'closed.example:1']) {
    await assert.rejects(fetchUnresolved(`http://${host}/`), failsWith('unreachable'));
  }
  await assert.rejects(fetchGuarded(`${server.url}/cut`), failsWith('unreachable'));
  await assert.rejects(fetchGuarded(`${server.url}/broken`), failsWith('unreachable'));
});

describe('redirects', () => {
  test('are followed like in browsers', async () => {
    const body = { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } };
    const changed = JSON.parse((await fetchGuarded(`${server.url}/to-echo`, body)).text) as Record<
      string,
      unknown
    >;
    assert.deepEqual([changed['method'], changed['body']], ['GET', '']);
    const kept = JSON.parse((await fetchGuarded(`${server.url}/keep`, body)).text) as Record<string, unknown>;
    assert.deepEqual([kept['method'], kept['body']], ['POST', 'x']);
  });

  test('lead to addresses with unescaped characters', async () => {
    const word = await fetchGuarded(`${server.url}/to-word`);
    assert.equal(word.url, `${server.url}/echo?q=${encodeURIComponent('größe–قميص')}`);
    const latin1 = await fetchGuarded(`${server.url}/to-latin1`);
    assert.equal(latin1.url, `${server.url}/echo?q=${encodeURIComponent('größe')}`);
  });

  test('have a limit', async () => {
    const before = server.requests.length;
    await assert.rejects(
      fetchGuarded(`${server.url}/loop`, { maxRedirects: 2 }),
      failsWith('too-many-redirects'),
    );
    assert.equal(server.requests.length, before + 3);
    assert.equal((await fetchGuarded(`${server.url}/loop`, { maxRedirects: 0 })).status, 302);
  });

  test('to another origin carry no secrets', async () => {
    const headers = { Authorization: 'Bearer hunter2', 'X-Key': 'hunter2', Accept: 'text/html' };
    await fetchGuarded(`${server.url}/elsewhere`, { headers });
    const seen = elsewhere.requests.at(-1)?.headers;
    assert.equal(seen?.accept, 'text/html');
    assert.doesNotMatch(JSON.stringify(seen), /hunter2/);
  });
});

test('ignores headers of the connection', async () => {
  const headers = {
    Host: 'inside.example',
    'Content-Length': '3',
    'Transfer-Encoding': 'chunked',
    Connection: 'upgrade',
    Upgrade: 'websocket',
  };
  const { text } = await fetchGuarded(`${server.url}/echo`, { headers, method: 'POST', body: 'whole' });
  const seen = JSON.parse(text) as { headers: Record<string, string>; body: string };
  assert.equal(seen.headers['host'], server.address);
  assert.equal(seen.body, 'whole');
  assert.equal(seen.headers['upgrade'], undefined);
});

describe('a limit', () => {
  test('of time applies to silence and to a slow body', async () => {
    for (const path of ['/silent', '/slow']) {
      await assert.rejects(fetchGuarded(server.url + path, { timeoutMs: 60 }), failsWith('timeout'));
    }
  });

  test('of bytes applies to endless and to decompressed bodies', async () => {
    for (const path of ['/endless', '/bomb']) {
      await assert.rejects(fetchGuarded(server.url + path), failsWith('too-large'));
      const cut = await fetchGuarded(server.url + path, { maxBytes: 100_000, incompleteBody: 'cut' });
      assert.equal(cut.body.length, 100_000);
    }
  });

  test('of time, and a body that breaks off or cannot be decoded, leave the status if they are kept', async () => {
    for (const [path, text, timeoutMs] of [
      ['/slow', /^x+$/, 1000],
      ['/cut', /^x$/, 60_000],
      ['/broken', /^$/, 60_000],
      ['/twice', /^$/, 60_000],
    ] as const) {
      const answer = await fetchGuarded(server.url + path, { timeoutMs, incompleteBody: 'keep' });
      assert.equal(answer.status, 200);
      assert.match(answer.text, text);
    }
    await assert.rejects(
      fetchGuarded(`${server.url}/silent`, { timeoutMs: 60, incompleteBody: 'keep' }),
      failsWith('timeout'),
    );
  });

  test('of the caller aborts with the caller’s reason', async () => {
    const reason = new Error('The visitor left.');
    const controller = new AbortController();
    const answer = fetchGuarded(`${server.url}/silent`, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(answer, reason);
  });
});

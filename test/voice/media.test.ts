import assert from 'node:assert/strict';
import dgram, { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, it, mock } from 'node:test';
import { classes, Connection, crc32c, Message, methods } from 'werift';
import { RTCDtlsTransport, RTCSctpTransport, RtpHeader } from 'werift';
import { BrowserPeer } from '../support/voice/browser-peer.ts';
import { connectCall, playedSound, startMedia } from '../support/voice/media-call.ts';
import type { MediaCall } from '../support/voice/media-call.ts';
import { sendSound } from '../support/voice/send-sound.ts';
import { energyAt, framesOf, join, loudness, tone } from '../support/voice/tone.ts';
import { until } from '../support/until.ts';

/** Seconds of audio that contain a tone, by frames of 20 ms. */
const secondsOf = (frequency: number, samples: Int16Array, rate: number) =>
  framesOf(samples, rate * 0.02).filter((frame) => energyAt(frequency, frame, rate) > 0.5).length * 0.02;

for (const codec of ['opus', 'PCMU', 'PCMA'] as const) {
  describe(`a web call with ${codec}`, () => {
    it('plays audio completely, in order and without gaps', async () => {
      await using call = await connectCall({ codec });
      const { peer, browser, marks } = call;
      const { rate } = browser.codec;
      const first = browser.received.length;
      peer.mark('before');
      peer.play(tone(500, 0.6, peer.rate));
      peer.mark('between');
      peer.play(tone(1500, 0.4, peer.rate));
      peer.mark('after');
      await until(() => marks.length === 3);
      await until(() => browser.received.length > first + 60);
      assert.deepEqual(marks, ['before', 'between', 'after']);
      const played = playedSound(call);
      assert.ok(Math.abs(secondsOf(500, played, rate) - 0.6) <= 0.04, String(secondsOf(500, played, rate)));
      assert.ok(Math.abs(secondsOf(1500, played, rate) - 0.4) <= 0.04);
      const start = browser.received.findIndex(({ samples }) => loudness(samples) > 0.1);
      const loud = browser.received.slice(start, start + 50);
      const steps = loud.slice(1).map((packet, index) => packet.timestamp - (loud[index]?.timestamp ?? 0));
      assert.deepEqual(new Set(steps), new Set([browser.codec.clockRate * 0.02]));
    });

    it('receives the microphone’s audio completely, across the overflow of sequence numbers', async () => {
      await using call = await connectCall({ codec });
      await sendSound(call.browser, tone(700, 1, call.browser.codec.rate));
      await until(() => join(call.heard).length >= call.peer.rate);
      const heard = join(call.heard);
      const seconds = secondsOf(700, heard, call.peer.rate);
      assert.ok(Math.abs(seconds - 1) <= 0.06, `${seconds} s`);
      assert.ok(Math.abs(loudness(heard.subarray(1600, call.peer.rate - 1600)) - 0.354) < 0.05);
    });
  });
}

describe('a web call', () => {
  it('is silent after a flush, drops its marks, and plays later audio', async () => {
    await using call = await connectCall();
    const { peer, browser, marks } = call;
    peer.play(tone(500, 30, peer.rate));
    peer.mark('flushed');
    await until(() => secondsOf(500, playedSound(call), 48_000) >= 0.2);
    const last = browser.received.at(-1)?.timestamp ?? 0;
    peer.flush();
    peer.mark('next');
    await until(() => loudness(browser.received.at(-1)?.samples ?? new Int16Array(0)) < 0.001);
    const silentFrom = browser.received.findLast(({ samples }) => loudness(samples) > 0.02)?.timestamp ?? 0;
    assert.ok((silentFrom - last) / 48 <= 100, `${(silentFrom - last) / 48} ms`);
    peer.play(tone(900, 0.2, peer.rate));
    peer.mark('end');
    await until(() => marks.includes('end'));
    assert.deepEqual(marks, ['next', 'end']);
  });

  it('delivers events in both directions, even if they are sent before the data channel opens', async () => {
    const media = await startMedia();
    const browser = await BrowserPeer.create();
    const answer = await media.answer(await browser.offer());
    assert.ok('peer' in answer);
    const events: unknown[] = [];
    answer.peer.onEvent = (event) => events.push(event);
    answer.peer.send({ type: 'early' });
    await browser.accept(answer.sdp);
    await until(() => browser.events.length === 1);
    // The server checks it, too.
    browser.connection.sctpTransport?.setRemoteMaxMessageSize(1_000_000);
    answer.peer.send({ type: 'long', text: 'é'.repeat(32_000) });
    for (const text of ['{"type":"first"}', 'no JSON', '[]', `{"text":"${'x'.repeat(65_530)}"}`]) {
      browser.channel?.send(text);
    }
    browser.channel?.send(Buffer.from('{"type":"binary"}'));
    browser.channel?.send('{"type":"last"}');
    await until(() => events.length >= 2 && browser.events.length === 2);
    assert.deepEqual(events, [{ type: 'first' }, { type: 'last' }]);
    await browser.close();
    await media.close();
  });

  it('reorders packets of the microphone', async () => {
    await using call = await connectCall();
    // Every fourth packet is 30 ms late.
    await sendSound(call.browser, tone(700, 1, 48_000), (index) => (index % 4 === 1 ? 30 : 0));
    await until(() => join(call.heard).length >= 16_000);
    const seconds = secondsOf(700, join(call.heard), 16_000);
    assert.ok(Math.abs(seconds - 1) <= 0.06, `${seconds} s`);
  });

  it('conceals 5 % lost packets', async () => {
    await using call = await connectCall();
    await sendSound(call.browser, tone(700, 1, 48_000), (index) => (index % 20 === 10 ? undefined : 0));
    await until(() => join(call.heard).length >= 16_000);
    const seconds = secondsOf(700, join(call.heard), 16_000);
    assert.ok(seconds >= 0.9, `${seconds} s`);
  });

  it('loses no audio after the first second of 300 ms jitter', async () => {
    await using call = await connectCall();
    // Delays from 0 to 300 ms in a fixed, scattered order.
    await sendSound(call.browser, tone(700, 3, 48_000), (index) => (index * 7919) % 300);
    await until(() => join(call.heard).length >= 48_000 - 16_000);
    await until(() => secondsOf(700, join(call.heard), 16_000) >= 2);
  });

  it('closes when the browser closes it', async () => {
    await using call = await connectCall();
    await call.browser.close();
    await until(call.isClosed);
  });

  it('delivers an event that is sent immediately before it closes', async () => {
    await using call = await connectCall();
    call.peer.send({ type: 'call.ended' });
    call.peer.close();
    await until(call.isClosed);
    assert.deepEqual(call.browser.events, [{ type: 'call.ended' }]);
  });

  it('closes once when the service closes it, and plays nothing afterwards', async () => {
    await using call = await connectCall();
    call.peer.close();
    call.peer.close();
    await until(call.isClosed);
    call.peer.play(tone(500, 1, 16_000));
    call.peer.mark('late');
    call.peer.send({ type: 'late' });
    await until(() => call.browser.channel?.readyState === 'closed');
    assert.deepEqual(call.marks, []);
  });
});

describe('a web call that receives datagrams from other senders', () => {
  /** A DTLS record with a forged content. */
  const record = (contentType: number, epoch: number, fragment: Buffer) => {
    const head = Buffer.from([contentType, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 9, 0, fragment.length]);
    return Buffer.concat([head, fragment]);
  };
  const closeNotify = Buffer.from([1, 0]);
  const clientHello = Buffer.concat([Buffer.from([1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4]), Buffer.alloc(4)]);
  const forged = [
    ...[0, 1].map((epoch) => record(21, epoch, closeNotify)),
    record(21, 1, Buffer.concat([closeNotify, Buffer.alloc(24)])),
    ...[24, 63].flatMap((contentType) => [0, 1].map((epoch) => record(contentType, epoch, closeNotify))),
    record(22, 0, clientHello),
    Buffer.concat([record(20, 0, Buffer.from([1])), record(21, 0, closeNotify)]),
    record(21, 0, closeNotify).subarray(0, 12),
  ];
  /** Waits until events and audio have arrived in both directions. */
  const exchange = async (call: MediaCall) => {
    const { browser, peer, events, heard } = call;
    const before = { packets: browser.received.length, events: events.length, heard: heard.length };
    browser.channel?.send('{"type":"up"}');
    peer.send({ type: 'down' });
    await until(() => events.length > before.events && browser.events.length === events.length);
    await sendSound(call.browser, tone(700, 0.4, browser.codec.rate));
    await until(() => heard.length > before.heard && browser.received.length > before.packets + 5);
    assert.equal(call.isClosed(), false);
  };

  it('ignores them from another address', async () => {
    await using call = await connectCall();
    const stranger = createSocket('udp4').bind(0, '127.0.0.1');
    await once(stranger, 'listening');
    const port = portOf(call.browser.connection.remoteDescription?.sdp ?? '');
    for (const datagram of forged) stranger.send(datagram, port, '127.0.0.1');
    await exchange(call);
    await exchange(call);
    stranger.close();
  });

  it('ignores them if they forge the browser’s address, since they are not encrypted', async () => {
    await using call = await connectCall();
    for (const datagram of forged) await call.browser.connection.iceTransports[0]?.connection.send(datagram);
    await exchange(call);
    await exchange(call);
  });

  /** Sends an encrypted DTLS record of the browser. */
  const sendRecord = async (
    { browser }: MediaCall,
    type: number,
    sequenceNumber: number,
    content: Buffer,
  ) => {
    const { dtls } = browser.connection.dtlsTransports[0] ?? {};
    assert.ok(dtls);
    const header = { type, version: 0xfefd, epoch: 1, sequenceNumber };
    const fragment = dtls.cipher.cipher.encrypt(dtls.sessionType, content, header);
    const head = Buffer.from([type, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeUInt16BE(sequenceNumber, 9);
    head.writeUInt16BE(fragment.length, 11);
    await dtls.transport.send(Buffer.concat([head, fragment]));
  };

  it('closes when the browser sends an encrypted alert', async () => {
    await using call = await connectCall();
    await sendRecord(call, 21, 99, closeNotify);
    await until(call.isClosed);
  });

  it('keeps only a few fragments of handshake messages that never end', async () => {
    const start = mock.method(RTCDtlsTransport.prototype, 'start');
    await using call = await connectCall();
    const started = start.mock.calls.map((each) => each.this as RTCDtlsTransport);
    start.mock.restore();
    const transport = started.find((other) => other !== call.browser.connection.dtlsTransports[0]);
    assert.ok(transport);
    // The first byte of a Certificate of 100 bytes.
    const beginning = Buffer.from([11, 0, 0, 100, 0, 9, 0, 0, 0, 0, 0, 1, 0]);
    const kept = () => transport.dtls?.['bufferFragmentedHandshakes'] as unknown[];
    for (let index = 0; index < 500; index++) await sendRecord(call, 22, 1000 + index, beginning);
    await until(() => kept().length > 0);
    await exchange(call);
    assert.ok(kept().length <= 100, String(kept().length));
  });

  it('continues from a new address after a connectivity check', async () => {
    const media = await startMedia();
    const browser = await BrowserPeer.create();
    const answer = await media.answer(await browser.offer());
    assert.ok('peer' in answer);
    // In place of a NAT, which uses a new port after a while.
    const nat = createSocket('udp4').bind(0, '127.0.0.1');
    const outside = [createSocket('udp4'), createSocket('udp4')] as const;
    await once(nat, 'listening');
    let [current] = outside;
    let browserPort = 0;
    nat.on('message', (datagram, { port }) => {
      browserPort = port;
      current.send(datagram, portOf(answer.sdp), '127.0.0.1');
    });
    for (const socket of outside)
      socket.on('message', (datagram) => {
        nat.send(datagram, browserPort, '127.0.0.1');
      });
    const events: unknown[] = [];
    answer.peer.onEvent = (event) => events.push(event);
    const port = String(portOf(answer.sdp));
    await browser.accept(answer.sdp.replaceAll(` ${port} typ host`, ` ${nat.address().port} typ host`));
    await until(() => browser.channel?.readyState === 'open');
    [, current] = outside;
    browser.channel?.send('{"type":"from the new address"}');
    await until(() => events.length === 1);
    await browser.close();
    await media.close();
    for (const socket of [nat, ...outside]) socket.close();
  });

  it('keeps only a few of the sources of the browser’s audio', async () => {
    const start = mock.method(RTCDtlsTransport.prototype, 'start');
    await using call = await connectCall();
    const started = start.mock.calls.map((each) => each.this as RTCDtlsTransport);
    start.mock.restore();
    const [browser] = call.browser.connection.dtlsTransports;
    const transport = started.find((other) => other !== browser);
    assert.ok(browser && transport);
    await exchange(call);
    const sources = () => Object.keys(transport.srtp.remoteContext.srtpSSRCStates).length;
    const before = sources();
    for (let ssrc = 1; ssrc <= 200; ssrc++)
      await browser.sendRtp(Buffer.alloc(20), new RtpHeader({ ssrc, sequenceNumber: ssrc, payloadType: 96 }));
    await until(() => sources() > before);
    await exchange(call);
    assert.ok(sources() <= 20, String(sources()));
  });

  it('keeps only the latest of the addresses from which the browser has sent checks', async () => {
    const connect = mock.method(Connection.prototype, 'connect');
    await using call = await connectCall();
    const connected = connect.mock.calls.map((started) => started.this as Connection);
    connect.mock.restore();
    const { connection: browser } = call.browser;
    const ice = connected.find((other) => other !== browser.iceTransports[0]?.connection);
    assert.ok(ice);
    const { sdp = '' } = browser.remoteDescription ?? {};
    const { user, key } = credentialsOf(sdp);
    for (let index = 0; index < 100; index++) {
      const socket = createSocket('udp4');
      for (let check = 0; check < 3; check++) {
        socket.send(stunMessage(`${user}:else`, key), portOf(sdp), '127.0.0.1');
        await once(socket, 'message');
      }
      socket.close();
    }
    const ids = ice.checkList.flatMap((pair) => [...(pair['requestTransactionIds'] as Set<string>)]);
    for (const kept of [ice.checkList, ice.remoteCandidates, ids])
      assert.ok(kept.length <= 40, String(kept.length));
    await exchange(call);
  });
});

describe('a web call whose data channel is attacked', () => {
  /** Sends an SCTP packet with one chunk of the given type, value and length. */
  const sendChunk = async (
    { browser }: MediaCall,
    type: number,
    value: Buffer,
    length = value.length + 4,
    flags = 0,
  ) => {
    const head = Buffer.alloc(16);
    head.writeUInt16BE(5000, 0);
    head.writeUInt16BE(5000, 2);
    head.writeUInt32BE(browser.connection.sctpTransport?.sctp['remoteVerificationTag'] as number, 4);
    head.writeUInt8(type, 12);
    head.writeUInt8(flags, 13);
    head.writeUInt16BE(length, 14);
    const packet = Buffer.concat([head, value]);
    packet.writeUInt32LE(crc32c(packet), 8);
    await browser.connection.dtlsTransports[0]?.sendData(packet);
  };
  const attacks: Record<string, (call: MediaCall) => unknown> = {
    'data that are no SCTP packets': async ({ browser }) => {
      const [dtls] = browser.connection.dtlsTransports;
      for (const data of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(12), Buffer.alloc(64, 1)])
        await dtls?.sendData(data);
    },
    'an unknown chunk type': (call) => sendChunk(call, 63, Buffer.alloc(4)),
    'chunks without length': async (call) => {
      for (const type of [0, 10, 11]) await sendChunk(call, type, Buffer.alloc(4), 0);
    },
    'parameters without length': async (call) => {
      const parameter = Buffer.from([0, 1, 0, 0]);
      // HEARTBEAT, HEARTBEAT ACK, ABORT, ERROR, RE-CONFIG.
      for (const type of [4, 5, 6, 9, 130]) await sendChunk(call, type, parameter);
      for (const type of [1, 2]) await sendChunk(call, type, Buffer.concat([Buffer.alloc(16), parameter]));
    },
    'an acknowledgment of chunks that were never sent': async (call) => {
      const gaps = 4000;
      const value = Buffer.alloc(12 + gaps * 4);
      value.writeUInt32BE(call.browser.connection.sctpTransport?.sctp['lastReceivedTsn'] as number, 0);
      value.writeUInt16BE(gaps, 8);
      // Each from the next chunk to the last possible one.
      for (let at = 12; at < value.length; at += 4) value.writeUInt32BE(0x0001_ffff, at);
      await sendChunk(call, 3, value);
    },
    'a truncated reset of streams': (call) => sendChunk(call, 130, Buffer.from([0, 13, 0, 5, 1, 0, 0, 0])),
    'an acknowledgment that a data channel opened, for an unknown stream': ({ browser }) =>
      browser.connection.sctpTransport?.sctp.send(7, 50, Buffer.from([2])),
    'a message with an unknown payload protocol': ({ browser }) =>
      browser.connection.sctpTransport?.sctp.send(browser.channel?.id ?? 0, 99, Buffer.from('x')),
  };
  for (const [name, attack] of Object.entries(attacks)) {
    it(`continues, like other calls, after ${name}`, async () => {
      await using call = await connectCall();
      await using other = await connectCall();
      await attack(call);
      for (const { browser, events } of [call, other]) {
        browser.channel?.send('{"type":"after"}');
        await until(() => events.length === 1);
        const packets = browser.received.length;
        await until(() => browser.received.length > packets);
      }
    });
  }

  /** Sends many DATA chunks, and waits until the service has processed them. */
  const flood = async (call: MediaCall, chunkOf: (index: number) => Partial<DataFields>) => {
    const sctp = call.browser.connection.sctpTransport?.sctp;
    assert.ok(sctp);
    const first = sctp['localTsn'] as number;
    let acknowledged = 0;
    const receive = sctp['receiveChunk'] as (chunk: { type: number }) => Promise<void>;
    // The browser acknowledges nothing.
    sctp['receiveChunk'] = async (chunk: { type: number }) => {
      if (chunk.type === heartbeatAck) acknowledged++;
      if (chunk.type !== 0) await receive.call(sctp, chunk);
    };
    for (let index = 0; index < 2000; index++) {
      const { tsn = index, stream = 1, flags = 0, protocol = 51, data } = chunkOf(index);
      const fields = Buffer.alloc(12);
      fields.writeUInt32BE((first + tsn) >>> 0, 0);
      fields.writeUInt16BE(stream, 4);
      fields.writeUInt32BE(protocol, 8);
      const value = Buffer.concat([fields, data ?? Buffer.from('data')]);
      await sendChunk(call, 0, value, value.length + 4, flags);
      // No more than the buffer of a socket can hold.
      if (index % 50 < 49) continue;
      await sendChunk(call, heartbeat, Buffer.from([0, 1, 0, 8, 0, 0, 0, 0]));
      await until(() => acknowledged > Math.floor(index / 50));
    }
  };
  const [heartbeat, heartbeatAck] = [4, 5];
  interface DataFields {
    /** Counted from the browser's next one. */
    tsn: number;
    stream: number;
    flags: number;
    protocol: number;
    data: Buffer;
  }
  const complete = 3;
  const unordered = 4;
  const openChannel = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]), Buffer.from('x')]);
  const floods: Record<string, (index: number) => Partial<DataFields>> = {
    'a message that never ends': () => ({}),
    'messages after one that never arrives': (index) => ({ tsn: index + 1, flags: complete | unordered }),
    'messages of later sequence numbers': (index) => ({ tsn: index * 1000 + 1, flags: complete | unordered }),
    'messages of many streams': (index) => ({ stream: index, flags: complete }),
    'data channels whose acknowledgments it never receives': () => ({
      ...{ stream: 9, flags: complete | unordered, protocol: 50, data: openChannel },
    }),
  };
  for (const [name, chunkOf] of Object.entries(floods)) {
    it(`keeps only a small part of ${name}`, async () => {
      const start = mock.method(RTCSctpTransport.prototype, 'start');
      await using call = await connectCall();
      const started = start.mock.calls.map((started) => started.this as RTCSctpTransport);
      start.mock.restore();
      const transport = started.find((other) => other !== call.browser.connection.sctpTransport);
      assert.ok(transport);
      const { sctp } = transport;
      await flood(call, chunkOf);
      const streams = Object.values(sctp['inboundStreams'] as Record<string, { reassembly: unknown[] }>);
      const kept = {
        streams: streams.length,
        fragments: streams.flatMap(({ reassembly }) => reassembly).length,
        outOfOrder: (sctp['sackMisOrdered'] as Set<number>).size,
        answers: sctp.outboundQueue.length + (transport['dataChannelQueue'] as unknown[]).length,
      };
      for (const [part, size] of Object.entries(kept)) assert.ok(size <= 300, `${part}: ${size}`);
      const packets = call.browser.received.length;
      await until(() => call.browser.received.length > packets);
    });
  }
});

describe('the media server', () => {
  it('refuses an offer without a data channel, and releases its port', async () => {
    const media = await startMedia({ udpPorts: [20_110, 20_110] });
    const browser = await BrowserPeer.create({ hasChannel: false });
    const offer = await browser.offer();
    const reason = 'The offer must have one data channel.';
    for (let attempt = 0; attempt < 2; attempt++)
      assert.deepEqual(await media.answer(offer), { refused: 'invalid-offer', reason });
    await browser.close();
    await media.close();
  });

  it('reports a problem only while other programs use all its ports', async () => {
    const udpPorts = [20_110, 20_111] as const;
    // A new server for each check, since a server repeats its answer for a while.
    const problem = async () => {
      const media = await startMedia({ udpPorts });
      const found = await media.problem();
      await media.close();
      return found;
    };
    const first = createSocket('udp4').bind(20_110, '127.0.0.1');
    await once(first, 'listening');
    assert.equal(await problem(), undefined);
    const second = createSocket('udp4').bind(20_111, '127.0.0.1');
    await once(second, 'listening');
    assert.equal(
      await problem(),
      'Web calls cannot use the UDP ports 20110 to 20111 (VOICE_UDP_PORTS): other programs have them, or the system forbids it.',
    );
    await new Promise<void>((resolve) => first.close(resolve));
    await new Promise<void>((resolve) => second.close(resolve));
    const media = await startMedia({ udpPorts });
    const browser = await BrowserPeer.create();
    const offer = await browser.offer();
    await Promise.all([1, 2].map(() => media.answer(offer)));
    // Now its own calls use the ports.
    assert.equal(await media.problem(), undefined);
    await media.close();
    await browser.close();
  });

  it('checks its ports once for all requests within five seconds', async () => {
    const media = await startMedia({ udpPorts: [20_110, 20_111] });
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    const sockets = mock.method(dgram, 'createSocket');
    syncBuiltinESMExports();
    try {
      await Promise.all([1, 2, 3].map(() => media.problem()));
      now = 4999;
      await media.problem();
      assert.equal(sockets.mock.callCount(), 1);
      now = 5000;
      await media.problem();
      assert.equal(sockets.mock.callCount(), 2);
    } finally {
      clock.mock.restore();
      sockets.mock.restore();
      syncBuiltinESMExports();
      await media.close();
    }
  });

  it('uses only its own ports, one for each call, and releases them', async () => {
    const media = await startMedia({ udpPorts: [20_100, 20_102] });
    const browser = await BrowserPeer.create();
    const offer = await browser.offer();
    const other = createSocket('udp4').bind(20_101, '127.0.0.1');
    await once(other, 'listening');
    // All at once, since werift would open the same port for all of them.
    const answers = await Promise.all([1, 2, 3].map(() => media.answer(offer)));
    const open = answers.filter((answer) => 'peer' in answer);
    assert.deepEqual(open.map(({ sdp }) => portOf(sdp)).sort(), [20_100, 20_102]);
    assert.deepEqual(
      answers.filter((answer) => 'refused' in answer),
      [{ refused: 'no-port', reason: 'All lines are busy.' }],
    );
    const closed: string[] = [];
    open[0]?.peer.open({ onAudio: () => 0, onMark: () => 0, onClosed: () => closed.push('closed') });
    open[0]?.peer.close();
    await until(() => closed.length === 1);
    const next = await media.answer(offer);
    assert.ok('peer' in next);
    assert.equal(portOf(next.sdp), portOf(open[0]?.sdp ?? ''));
    other.close();
    await browser.close();
    await media.close();
  });

  it('lists the public address first', async () => {
    const media = await startMedia({ publicAddress: '203.0.113.7' });
    const browser = await BrowserPeer.create();
    const answer = await media.answer(await browser.offer());
    assert.ok('sdp' in answer);
    const addresses = Array.from(
      answer.sdp.matchAll(/udp \d+ (\S+) \d+ typ host/g),
      ([, address]) => address,
    );
    assert.deepEqual(addresses, ['203.0.113.7', '127.0.0.1']);
    await browser.close();
    await media.close();
  });

  it('lists the public address if the network interfaces cannot be read', async () => {
    // As in a sandbox without AF_NETLINK.
    mock.method(os, 'networkInterfaces', () => {
      throw new Error('uv_interface_addresses returned Unknown system error 97');
    });
    syncBuiltinESMExports();
    const media = await startMedia({ listenAddress: undefined, publicAddress: '203.0.113.7' });
    const browser = await BrowserPeer.create();
    try {
      const answer = await media.answer(await browser.offer());
      assert.ok('sdp' in answer);
      assert.match(answer.sdp, /203\.0\.113\.7 \d+ typ host/);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
      await browser.close();
      await media.close();
    }
  });

  it('refuses an offer that cannot be read, and releases its port', async () => {
    const media = await startMedia({ udpPorts: [20_120, 20_120] });
    const browser = await BrowserPeer.create();
    const offer = await browser.offer();
    const reason = 'The offer is not a valid session description (SDP).';
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await media.answer(offer.replace('a=sctp-port:5000', 'a=sctp-port:none'));
      assert.deepEqual(answer, { refused: 'invalid-offer', reason });
    }
    await browser.close();
    await media.close();
  });

  it('ignores datagrams that are not from the browser', async () => {
    const media = await startMedia();
    const browser = await BrowserPeer.create();
    const answer = await media.answer(await browser.offer());
    assert.ok('peer' in answer);
    const otherSender = createSocket('udp4').bind(0, '127.0.0.1');
    await once(otherSender, 'listening');
    const replies: Buffer[] = [];
    otherSender.on('message', (datagram) => replies.push(datagram));
    const { user } = credentialsOf(answer.sdp);
    const wrongKey = 'x'.repeat(24);
    const datagrams = [
      ...[Buffer.alloc(0), Buffer.from('hello'), Buffer.alloc(1400, 0x80), Buffer.alloc(1400, 22)],
      stunMessage('nobody:else', wrongKey, { isNominating: true }),
      stunMessage(`${user}:else`, wrongKey, { isNominating: true }),
      stunMessage(`${user}:else`, wrongKey, { role: 'ICE-CONTROLLED' }),
      stunMessage(`${user}:else`, wrongKey, { method: methods.ALLOCATE }),
      stunMessage(`${user}:else`, wrongKey, { class: classes.RESPONSE }),
    ];
    for (const datagram of datagrams) otherSender.send(datagram, portOf(answer.sdp), '127.0.0.1');
    // The browser can still connect, since no other sender has taken its place.
    await browser.accept(answer.sdp);
    await until(() => browser.channel?.readyState === 'open');
    assert.equal(replies.length, 0);
    otherSender.close();
    await browser.close();
    await media.close();
  });

  it('closes all sockets', async () => {
    const resources = () => process.getActiveResourcesInfo().filter((name) => /UDP/.test(name)).length;
    const before = resources();
    const media = await startMedia();
    const browser = await BrowserPeer.create();
    const offer = await browser.offer();
    await Promise.all(Array.from({ length: 5 }, () => media.answer(offer)));
    await browser.close();
    await media.close();
    await until(() => resources() <= before);
    assert.deepEqual(await media.answer(offer), { refused: 'stopping', reason: 'The service is stopping.' });
  });
});

/** The ICE credentials of an answer. */
function credentialsOf(sdp: string): { user: string; key: string } {
  const [, user = ''] = /a=ice-ufrag:(\S+)/.exec(sdp) ?? [];
  const [, key = ''] = /a=ice-pwd:(\S+)/.exec(sdp) ?? [];
  return { user, key };
}

/** The UDP port of an answer. */
function portOf(sdp: string): number {
  return Number(/ (\d+) typ host/.exec(sdp)?.[1]);
}

interface StunOptions {
  method?: methods;
  class?: classes;
  role?: 'ICE-CONTROLLING' | 'ICE-CONTROLLED';
  /** Whether it nominates its sender. */
  isNominating?: boolean;
}

/** A STUN message; by default, a connectivity check. */
function stunMessage(
  user: string,
  key: string,
  {
    method = methods.BINDING,
    class: messageClass = classes.REQUEST,
    role = 'ICE-CONTROLLING',
    isNominating = false,
  }: StunOptions = {},
): Buffer {
  const message = new Message(method, messageClass)
    .setAttribute('USERNAME', user)
    .setAttribute('PRIORITY', 1)
    .setAttribute(role, 1n);
  if (isNominating) message.setAttribute('USE-CANDIDATE', null);
  return message.addMessageIntegrity(Buffer.from(key)).addFingerprint().bytes;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readOffer } from '../../src/voice/media/read-offer.ts';
import { chromiumOffer } from '../support/voice/chromium-offer.ts';

const without = (pattern: RegExp) =>
  chromiumOffer
    .split('\r\n')
    .filter((line) => !pattern.test(line))
    .join('\r\n');
const [, audio = '', channel = ''] = chromiumOffer.split(/(?=^m=)/m);

const cases: [description: string, offer: string, reason: RegExp][] = [
  ['is empty', '', /not a session description/],
  ['is JSON', '{"sdp": "v=0"}', /not a session description/],
  ['has control characters', chromiumOffer.replace('a=mid:0', 'a=mid:0\u0000'), /not a session description/],
  ['is too long', chromiumOffer + 'a=x\r\n'.repeat(10_000), /longer than 32768 characters/],
  ['has too many lines', chromiumOffer + 'a=x\r\n'.repeat(1000), /more than 1000 lines/],
  ['has no audio', chromiumOffer.replace(audio, ''), /one audio track/],
  ['has two audio tracks', chromiumOffer.replace(audio, audio + audio), /one audio track/],
  ['has no data channel', chromiumOffer.replace(channel, ''), /one data channel/],
  ['has video', chromiumOffer + audio.replace('m=audio', 'm=video'), /nothing else/],
  ['only receives', chromiumOffer.replace('a=sendrecv', 'a=recvonly'), /sendrecv/],
  ['has refused the track', chromiumOffer.replace('m=audio 9', 'm=audio 0'), /sendrecv/],
  ['is not bundled', without(/^a=group/), /bundled/],
  ['has the same name for both sections', chromiumOffer.replace('a=mid:1', 'a=mid:0'), /bundled/],
  ['has no user', without(/^a=ice-ufrag/), /"a=ice-ufrag"/],
  ['has no password', without(/^a=ice-pwd/), /"a=ice-pwd"/],
  ['has no fingerprint', without(/^a=fingerprint/), /"a=fingerprint"/],
  ['has a weak fingerprint', chromiumOffer.replaceAll('sha-256', 'md5'), /"a=fingerprint"/],
  ['has no known codec', without(/^a=rtpmap:\d+ (opus|PCM[UA])/), /Opus, PCMU and PCMA/],
];

describe('readOffer', () => {
  it('accepts an offer of Chromium, without its candidates, and prefers Opus', () => {
    const offer = readOffer(chromiumOffer);
    assert.ok(typeof offer === 'object');
    assert.equal(offer.codec, 'opus');
    assert.match(chromiumOffer, /a=candidate/);
    assert.doesNotMatch(offer.sdp, /a=candidate/);
  });

  it('falls back to G.711', () => {
    const offer = readOffer(without(/opus/));
    assert.equal(typeof offer === 'object' && offer.codec, 'PCMU');
  });

  for (const [description, offer, reason] of cases) {
    it(`refuses an offer that ${description}`, () => {
      const result = readOffer(offer);
      assert.match(typeof result === 'string' ? result : 'accepted', reason);
    });
  }
});

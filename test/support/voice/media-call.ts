import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { MediaSettings, WebPeer } from '../../../src/service/voice/voice-module.ts';
import { createVoice } from '../../../src/voice/create-voice.ts';
import { until } from '../until.ts';
import { BrowserPeer } from './browser-peer.ts';
import type { BrowserPeerOptions } from './browser-peer.ts';
import { join } from './tone.ts';

/** Answers offers on the loopback interface, without a log. */
export const startMedia = async (settings: MediaSettings = {}) =>
  (await createVoice({ media: { listenAddress: '127.0.0.1', ...settings } }, pino({ level: 'silent' })))
    .media;

/** A connected call between the media server and a WebRTC connection in Node. */
export interface MediaCall extends AsyncDisposable {
  peer: WebPeer;
  browser: BrowserPeer;
  /** The audio that the media server received. */
  heard: Int16Array[];
  marks: string[];
  events: unknown[];
  isClosed: () => boolean;
}

/** Connects a call, and waits until its data channel is open. */
export async function connectCall(
  options: BrowserPeerOptions = {},
  settings: MediaSettings = {},
): Promise<MediaCall> {
  const media = await startMedia(settings);
  const browser = await BrowserPeer.create(options);
  const answer = await media.answer(await browser.offer());
  assert.ok('peer' in answer, JSON.stringify(answer));
  const { peer } = answer;
  const heard: Int16Array[] = [];
  const marks: string[] = [];
  const events: unknown[] = [];
  let closed = 0;
  peer.onEvent = (event) => events.push(event);
  peer.open({
    onAudio: (samples) => heard.push(samples),
    onMark: (id) => marks.push(id),
    onClosed: () => closed++,
  });
  await browser.accept(answer.sdp);
  await until(() => browser.channel?.readyState === 'open' && browser.received.length > 0);
  return {
    ...{ peer, browser, heard, marks, events },
    isClosed: () => closed === 1,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await media.close();
    },
  };
}

/** The audio that the browser received, in order. */
export const playedSound = ({ browser }: MediaCall) => join(browser.received.map(({ samples }) => samples));

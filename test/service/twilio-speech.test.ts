import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MockTimers } from 'node:test';
import { RelaySpeech } from '../../src/service/carrier/twilio/relay-speech.ts';

const step = 0.1;

/** The speech of a relay. */
interface Speech {
  /** Seconds that the relay needs for the text. */
  seconds: number;
  /** The parts that it reports as played, at an even pace. */
  reported?: readonly string[];
  /** Second after which its reports are lost. */
  lostAfter?: number;
}

/** Speaks a text. Returns the second at which it counts as heard. */
function speak(
  timers: MockTimers,
  text: string,
  { seconds, reported = [], lostAfter = Infinity }: Speech,
): number {
  timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const speech = new RelaySpeech(() => now, 1);
  speech.sendToken(text);
  speech.sendEnd();
  speech.started();
  const pending = [...reported];
  let isPlaying = true;
  for (; !speech.isOver && now < 300; now += step) {
    timers.tick(step * 1000);
    if (now > lostAfter) continue;
    const played = Math.floor((now / seconds) * reported.length);
    while (reported.length - pending.length < played) speech.playedToken(pending.shift() ?? '');
    if (now >= seconds && isPlaying) {
      isPlaying = false;
      speech.stopped();
    }
  }
  return now;
}

const sentences = (text: string) => text.split(/(?<=[.,] )/);
const isAbout = (actual: number, expected: number) => {
  assert.ok(actual > expected - step && actual < expected + 2, `${actual} s instead of ${expected} s`);
};

describe('a long text counts as heard only after its last word', () => {
  for (const [language, text, seconds] of [
    [
      'Chinese',
      '非常感谢您的来电，我已经为您预约了明天下午三点的检查，请记得带上您的身份证和保险卡。祝您生活愉快，再见。',
      11,
    ],
    [
      'Japanese',
      'お電話ありがとうございます。明日の午後三時に検査のご予約をお取りしました。身分証明書と保険証を必ずお持ちください。それでは失礼いたします。',
      13,
    ],
    [
      'Korean',
      '주문해 주셔서 감사합니다. 예약이 내일 오후 세 시로 확정되었습니다. 신분증과 보험증을 꼭 가져오시기 바랍니다. 안녕히 계세요.',
      13,
    ],
    [
      'digits',
      'Your order number is 4 8 1 5 1 6 2 3 4 2 0 7, and our number is 0 8 0 0 5 5 5 1 2 3 4. Goodbye.',
      15,
    ],
  ] as const) {
    test(`${language}, of which only the start and the end are reported`, ({ mock }) => {
      isAbout(speak(mock.timers, text, { seconds }), seconds);
    });
  }

  test('of a voice that is slower than expected, as long as its progress is reported', ({ mock }) => {
    const text = 'We are closed today, and open again tomorrow at nine. '.repeat(4);
    const seconds = text.length / 5;
    isAbout(speak(mock.timers, text, { seconds, reported: sentences(text) }), seconds);
  });
});

test('a text counts as heard some time after the last report, if the others are lost', ({ mock }) => {
  const text = 'We are closed today, and open again tomorrow at nine. '.repeat(4);
  const seconds = text.length / 15;
  const heard = speak(mock.timers, text, { seconds, reported: sentences(text), lostAfter: 5 });
  assert.ok(heard > seconds && heard < 2 * seconds, `${heard} s`);
});

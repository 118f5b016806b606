import { multimodal } from './assistant-table.ts';
import { flag, many, range, whole } from './field-table.ts';
import type { FieldRow } from './field-table.ts';

const finding = (more: object) => [{ name: 'won', type: 'bool', description: 'Won?', ...more }];

/** The fields of an assistant that concern its calls; `assistantTable` has the other fields. */
export const assistantCallTable: FieldRow[] = [
  flag('allow_interruptions'),
  ['allow_interruptions', [true, null], [false], multimodal],
  flag('fillers'),
  ['fillers', [false, null], [true], multimodal],
  [
    'filler_config',
    [{}, { neutral: ['Hm'] }, { question: many(50, 'x'.repeat(255)) }],
    ['x', { neutral: 'x' }, { neutral: [5] }, { neutral: many(51, 'x') }, { neutral: ['x'.repeat(256)] }],
  ],
  flag('record'),
  flag('enable_noise_cancellation'),
  flag('wait_for_customer'),
  whole('max_duration', 20, 1200),
  whole('max_silence_duration', 1, 360),
  whole('max_initial_silence_duration', 1, 120),
  whole('ringing_time', 1, 60),
  whole('reengagement_interval', 7, 600),
  flag('end_call_on_voicemail'),
  ['endpoint_type', ['vad', 'ai'], ['both', 5]],
  range('endpoint_sensitivity', 0, 5, 0.01),
  range('interrupt_sensitivity', 0, 5, 0.01),
  whole('min_interrupt_words', 0, 10),
  ['ambient_sound', ['off', 'office', 'city', 'forest', 'crowded_room', 'cafe', 'nature'], ['sea', '', 5]],
  range('ambient_sound_volume', 0, 1, 0.01),
  ['is_webhook_active', [false, 0], [2, 'yes', [], {}]],
  [
    'webhook_url',
    ['https://shop.example/x', 'http://shop.example', `https://shop.example/${'x'.repeat(2027)}`],
    [
      'x',
      'ftp://shop.example',
      '//shop.example',
      'https://',
      5,
      `https://shop.example/${'x'.repeat(2028)}`,
      null,
    ],
    { is_webhook_active: true },
  ],
  flag('send_webhook_only_on_completed'),
  flag('include_recording_in_webhook'),
  flag('post_call_evaluation'),
  [
    'post_call_schema',
    [
      [],
      finding({}),
      finding({ name: 'abc', type: 'string', description: 'abc' }),
      finding({ name: 'a_123456789_bcde', type: 'number', description: 'x'.repeat(255) }),
      many(50, finding({})[0]),
    ],
    [
      'x',
      finding({ name: 'ab' }),
      finding({ name: 'a_123456789_bcdef' }),
      finding({ name: 'Won' }),
      finding({ name: 'wo n' }),
      finding({ type: 'date' }),
      finding({ description: 'ab' }),
      finding({ description: 'x'.repeat(256) }),
      [{ name: 'won' }],
      many(51, finding({})[0]),
    ],
  ],
  [
    'variables',
    [{}, [], { a: 'x'.repeat(2000) }, { ['x'.repeat(64)]: null }],
    ['x', ['x'], { a: 'x'.repeat(2001) }, { ['x'.repeat(65)]: 1 }],
  ],
  [
    'variables',
    [Object.fromEntries(many(100, 1).map((value, index) => [`v${index}`, value]))],
    [Object.fromEntries(many(101, 1).map((value, index) => [`v${index}`, value]))],
  ],
  whole('conversation_inactivity_timeout', 1, 1440),
  flag('conversation_ended_retrigger'),
  ['conversation_ended_webhook_url', ['https://shop.example/x', null], ['x', 5]],
];

import { flag, many, range, textOf } from './field-table.ts';
import type { FieldRow } from './field-table.ts';

/** What makes a body one of the mode `multimodal`. */
export const multimodal = { mode: 'multimodal', voice_id: 3, multimodal_model_id: 2, llm_model_id: null };

/** The same of `dualplex`, whose voice is one of a pipeline. */
const dualplex = { mode: 'dualplex', voice_id: 1, multimodal_model_id: 3, llm_model_id: null };

/** What an assistant is and knows: every rule of the creation table with values just inside and just outside. */
export const assistantTable: FieldRow[] = [
  textOf('name', 255, true),
  textOf('initial_message', 200, true),
  textOf('system_prompt', 64_000, true),
  textOf('reengagement_prompt', 1000),
  textOf('voice_mail_message', 1000),
  ['voice_id', [1, 2, '1'], [0, 3, 9999, 'x', 1.5, null]],
  ['language_id', [1, 26], [0, 27, null]],
  ['type', ['inbound', 'outbound'], ['both', '', null]],
  ['mode', ['pipeline'], ['chat', '', null]],
  ['timezone', ['UTC', 'Europe/Berlin'], ['Mars/Olympus', '+01:00', '', 5, null]],
  ['llm_model_id', [1], [2, 99, null]],
  ['multimodal_model_id', [2], [1, 3, 99, null], multimodal],
  ['multimodal_model_id', [3], [1, 2, 99, null], dualplex],
  ['voice_id', [1, 2], [3, 9999, null], dualplex],
  ['chat_llm_fallback_id', [1, null], [2, 99]],
  ['chat_llm_fallback_id', [1, null], [2, 99], dualplex],
  range('turn_detection_threshold', 0, 1, 0.01, multimodal),
  range('turn_detection_threshold', 0, 1, 0.01, dualplex),
  ['turn_detection_threshold', [null], [0.5]],
  ['secondary_language_ids', [[], [2, 3], [2, 2]], [[27], [0], 'x', many(51, 2)]],
  ['knowledgebase_id', [null], [99_999, 'x']],
  ['knowledgebase_mode', ['function_call', 'prompt'], ['hybrid', 5]],
  ['knowledgebase_mode', ['function_call', null], ['prompt'], multimodal],
  ['knowledgebase_mode', ['function_call', null], ['prompt'], dualplex],
  ['phone_number_id', [null], [99_999, 'x']],
  ['tool_ids', [[]], [[99_999], 'x', [null]]],
  [
    'tools',
    [
      [],
      [{ type: 'end_call', description: 'When they say goodbye' }],
      [{ type: 'dtmf_input', description: 'x'.repeat(1000) }],
      many(50, { type: 'call_transfer', description: 'To a person', phone_number: '+4930123456' }),
      [{ type: 'call_transfer', description: 'x', phone_number: '+49 (30) 123-456' }],
      [{ type: 'call_transfer', description: 'x', phone_number: '+1234567' }],
      [{ type: 'call_transfer', description: 'x', phone_number: '+123456789012345' }],
      [{ type: 'end_call', description: 'x', phone_number: null }],
    ],
    [
      'x',
      ['x'],
      [{ type: 'hang_up', description: 'x' }],
      [{ type: 'end_call' }],
      [{ type: 'end_call', description: '' }],
      [{ type: 'end_call', description: 'x'.repeat(1001) }],
      many(51, { type: 'end_call', description: 'x' }),
      [{ type: 'call_transfer', description: 'x' }],
      [{ type: 'call_transfer', description: 'x', phone_number: null }],
      [{ type: 'call_transfer', description: 'x', phone_number: '' }],
      [{ type: 'call_transfer', description: 'x', phone_number: 'the front desk' }],
      [{ type: 'call_transfer', description: 'x', phone_number: '030 123456' }],
      [{ type: 'call_transfer', description: 'x', phone_number: '+123456' }],
      [{ type: 'call_transfer', description: 'x', phone_number: '+1234567890123456' }],
      [{ type: 'end_call', description: 'x', phone_number: 5 }],
    ],
  ],
  flag('tts_emotion_enabled'),
  range('voice_stability', 0, 1, 0.01),
  range('voice_similarity', 0, 1, 0.01),
  range('speech_speed', 0.7, 1.2, 0.01),
  range('llm_temperature', 0, 1, 0.01),
  ['synthesizer_provider_id', [1, 2, null], [3, 99]],
  ['transcriber_provider_id', [3, 4, null], [1, 99]],
  ['transcriber_provider_id', [null], [3], multimodal],
  ['transcriber_provider_id', [null], [3], dualplex],
  ['allow_interruptions', [true, null], [false], dualplex],
  ['fillers', [false, null], [true], dualplex],
];

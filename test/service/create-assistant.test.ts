import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { addKnowledgebase, addNumber } from '../support/records/add-records.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);
const create = (more: Record<string, unknown> = {}) => owner.create('assistant', assistantBody(more));
const read = (id: number) => readAssistant(owner, id);

describe('createAssistant', () => {
  test('returns the stored assistant, inactive', async () => {
    const { status, json } = await owner.post('assistant', assistantBody({ status: 'active' }));
    assert.equal(status, 201);
    const { id, uuid, ...rest } = json['data'] as Record<string, unknown>;
    assert.ok(Number.isInteger(id));
    assert.equal(uuid, (await read(Number(id)))['uuid']);
    assert.equal(typeof json['message'], 'string');
    assert.deepEqual(rest, { name: 'Kim', status: 'inactive', type: 'outbound', mode: 'pipeline' });
  });

  test('applies the defaults', async () => {
    const { id } = await create();
    const { uuid, created_at, updated_at, ...record } = await read(id);
    assert.match(String(uuid), /^[0-9a-f-]{36}$/);
    const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
    assert.match(String(created_at), timestamp);
    assert.match(String(updated_at), timestamp);
    assert.deepEqual(record, {
      id,
      user_id: owner.id,
      name: 'Kim',
      type: 'outbound',
      mode: 'pipeline',
      status: 'inactive',
      phone_number_id: null,
      engine_id: null,
      synthesizer_id: null,
      transcriber_id: null,
      instance_id: null,
      flows_platform_id: null,
      voice_id: 1,
      language_id: 1,
      language: null,
      secondary_language_ids: [],
      llm_model_id: 1,
      multimodal_model_id: null,
      chat_llm_fallback_id: null,
      turn_detection_threshold: null,
      transcriber_provider_id: 3,
      synthesizer_provider_id: 1,
      timezone: 'Europe/Berlin',
      initial_message: 'Hello!',
      system_prompt: 'Be kind.',
      variables: {},
      post_call_evaluation: true,
      post_call_schema: [],
      tools: [],
      tool_ids: [],
      fillers: 0,
      filler_config: { neutral: [], negative: [], positive: [], question: [] },
      is_webhook_active: false,
      webhook_url: null,
      inbound_webhook_url: null,
      conversation_ended_webhook_url: null,
      send_webhook_only_on_completed: true,
      include_recording_in_webhook: true,
      max_duration: 600,
      max_silence_duration: 40,
      max_initial_silence_duration: null,
      ringing_time: 30,
      reengagement_interval: 30,
      reengagement_prompt: null,
      record: false,
      end_call_on_voicemail: 1,
      voice_mail_message: null,
      llm_temperature: '0.10',
      tts_emotion_enabled: true,
      voice_stability: '0.70',
      voice_similarity: '0.50',
      speech_speed: '1.00',
      allow_interruptions: true,
      enable_noise_cancellation: true,
      wait_for_customer: false,
      endpoint_type: 'vad',
      endpoint_sensitivity: 0.5,
      interrupt_sensitivity: 0.5,
      min_interrupt_words: 0,
      ambient_sound: 'off',
      ambient_sound_volume: '0.50',
      knowledgebase_id: null,
      knowledgebase_mode: 'function_call',
      conversation_inactivity_timeout: 30,
      max_conversation_messages: 200,
      max_visitor_messages_per_day: 1000,
      max_messages_per_day: 10_000,
      max_test_messages_per_day: 50,
      proof_of_work: false,
      web_calls: false,
      max_concurrent_web_calls: null,
      max_visitor_web_call_minutes_per_day: null,
      max_web_call_minutes_per_day: null,
      allowed_origins: [],
      usage_webhook_url: null,
      handoff_webhook_url: null,
      disabled_webhook_urls: [],
      private_variables: [],
      conversation_ended_retrigger: false,
      user_token_required: false,
      widget_settings: { theme: 'light', color: '#3B82F6', position: 'right-bottom' },
      deleted_at: null,
    });
  });

  test('stores all given fields', async () => {
    const tool = await owner.create('tools', {
      name: 'look_up',
      description: 'Looks an order up',
      endpoint: 'https://shop.example/orders',
      method: 'GET',
    });
    const base = await addKnowledgebase(service, owner.id);
    const number = await addNumber(service, owner.id);
    const input = {
      secondary_language_ids: [2, 3],
      chat_llm_fallback_id: 1,
      knowledgebase_id: base,
      knowledgebase_mode: 'prompt',
      phone_number_id: number,
      tool_ids: [tool.id],
      tools: [{ type: 'call_transfer', description: 'To a person', phone_number: '+4930123456' }],
      tts_emotion_enabled: false,
      synthesizer_provider_id: 2,
      transcriber_provider_id: 4,
      allow_interruptions: false,
      filler_config: { neutral: ['Hm'], negative: [], positive: ['Great'], question: [] },
      record: true,
      enable_noise_cancellation: false,
      wait_for_customer: true,
      max_initial_silence_duration: 20,
      reengagement_prompt: 'Still there?',
      voice_mail_message: 'Call us back.',
      endpoint_type: 'ai',
      min_interrupt_words: 2,
      ambient_sound: 'cafe',
      is_webhook_active: true,
      webhook_url: 'https://shop.example/hook',
      send_webhook_only_on_completed: false,
      include_recording_in_webhook: false,
      post_call_evaluation: false,
      post_call_schema: [{ name: 'won', type: 'bool', description: 'Whether they buy' }],
      variables: { first_name: 'you', basket: [1, 'two'] },
      max_concurrent_web_calls: 3,
      max_visitor_web_call_minutes_per_day: 20,
      max_web_call_minutes_per_day: 200,
      conversation_ended_retrigger: true,
      user_token_required: true,
      conversation_ended_webhook_url: 'https://shop.example/ended',
      // As the list writes them, so that a record can be sent back.
      llm_temperature: '0.25',
      fillers: 1,
      end_call_on_voicemail: 0,
    };
    const { id } = await create({ type: 'inbound', ...input });
    const record = await read(id);
    assert.deepEqual(Object.fromEntries(Object.keys(input).map((field) => [field, record[field]])), input);
  });

  test('rounds decimals to two digits', async () => {
    const { id } = await create({
      llm_temperature: 0.004,
      voice_stability: 0.256,
      endpoint_sensitivity: '4.999',
    });
    const { llm_temperature, voice_stability, endpoint_sensitivity } = await read(id);
    assert.deepEqual([llm_temperature, voice_stability, endpoint_sensitivity], ['0.00', '0.26', 5]);
  });

  test('accepts the models of the other modes', async () => {
    for (const [mode, multimodal_model_id, voice_id] of [
      ['multimodal', 2, 3],
      ['dualplex', 3, 1],
    ] as const) {
      const { id } = await create({ mode, multimodal_model_id, voice_id, llm_model_id: null });
      const record = await read(id);
      assert.deepEqual(
        [record['mode'], record['multimodal_model_id'], record['transcriber_provider_id']],
        [mode, multimodal_model_id, null],
      );
    }
  });

  test('reports all missing fields, and the first one in the message', async () => {
    const { status, json, errors } = await owner.post('assistant', {});
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(json), ['message', 'errors']);
    assert.deepEqual(Object.keys(errors).sort(), [
      'initial_message',
      'language_id',
      'mode',
      'name',
      'system_prompt',
      'timezone',
      'type',
      'voice_id',
    ]);
    assert.deepEqual(errors['name'], ['The name field is required.']);
    assert.equal(json['message'], 'The name field is required.');
  });

  test('reports errors of types, rules and references in one response', async () => {
    const { errors } = await owner.post(
      'assistant',
      assistantBody({
        name: 5,
        max_duration: 1201,
        llm_model_id: null,
        voice_id: 9999,
        post_call_schema: [{ name: 'ok_name', type: 'date', description: 'When' }],
      }),
    );
    assert.deepEqual(errors, {
      voice_id: ['The selected voice id is invalid.'],
      llm_model_id: ['The llm model id field is required when mode is pipeline.'],
      name: ['The name field must be a string.'],
      max_duration: ['The max duration field must not be greater than 1200.'],
      'post_call_schema.0.type': ['The selected post call schema.0.type is invalid.'],
    });
  });

  test('accepts call_transfer only with a number in E.164 format', async () => {
    const transfer = { type: 'call_transfer' };
    const described = { ...transfer, description: 'To a person' };
    const { errors } = await owner.post('assistant', assistantBody({ tools: [transfer, described] }));
    const missing = (index: number) => [
      `The tools.${index}.phone number field is required when type is call_transfer.`,
    ];
    assert.deepEqual(errors, {
      'tools.0.description': ['The tools.0.description field is required.'],
      'tools.0.phone_number': missing(0),
      'tools.1.phone_number': missing(1),
    });
    const spaced = [{ ...described, phone_number: '+49 (30) 123-456' }];
    assert.deepEqual((await owner.post('assistant', assistantBody({ tools: spaced }))).errors, {
      'tools.0.phone_number': [
        'The tools.0.phone number field must be a phone number in E.164 format: a plus sign and 7 to 15 digits, such as +4915112345678.',
      ],
    });
    const { id } = await create({ tools: [{ ...described, phone_number: '+4930123456' }] });
    assert.deepEqual((await read(id))['tools'], [{ ...described, phone_number: '+4930123456' }]);
  });

  test('rejects a body that is not a JSON object', async () => {
    for (const body of ['{', '[]', '3', 'null', `{"variables":${'['.repeat(70)}${']'.repeat(70)}}`]) {
      assert.equal((await owner.post('assistant', body)).status, 422, body);
    }
  });

  test('rejects null characters and replaces lone surrogates', async () => {
    const { errors } = await owner.post('assistant', assistantBody({ variables: { a: ['\0'] } }));
    assert.deepEqual(errors, { variables: ['The variables field must not contain null characters.'] });
    const { id } = await create({ name: 'Kim \ud83d' });
    assert.equal((await read(id))['name'], 'Kim \ufffd');
  });
});

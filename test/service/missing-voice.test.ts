import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { afterEach, describe, it } from 'node:test';
import { voicePackage } from '../../src/service/voice/voice-module.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { visit } from '../support/calls/web-visitor.ts';
import { newDatabase, startService } from '../support/service/service.ts';
import type { TestService } from '../support/service/service.ts';

let restore: (() => void) | undefined;
afterEach(() => restore?.());

/** Replaces the optional package, as it would be found on disk. */
function replacePackage(resolve: () => string): void {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === voicePackage ? { url: resolve(), shortCircuit: true } : next(specifier, context),
  });
  restore = () => {
    hooks.deregister();
    restore = undefined;
  };
}

/** The warnings of `/readyz`, whether an assistant offers calls, and why it refuses one. */
async function look(service: TestService) {
  const ready = await service.get('/readyz');
  assert.equal(ready.status, 200);
  const visitor = await visit({ service });
  const settings = await service.get(`/api/assistants/${visitor.assistant.uuid}/widget`);
  const { status, json } = await visitor.call();
  assert.equal(status, 503);
  assert.equal((await visitor.service.get(`${visitor.path}/voice`)).status, 503);
  const written = await service.post(`${visitor.path}/messages`, { message: 'Hello?' });
  assert.equal(written.status, 200);
  return {
    warnings: ready.json['warnings'],
    offersCalls: (settings.json['data'] as { web_calls: boolean }).web_calls,
    refusal: json['error'],
  };
}

const broken = `The package ${voicePackage} could not be loaded, so web calls and offline speech are unavailable. See the log.`;

describe('the service', () => {
  it('reports a missing voice package in /readyz once an assistant has web_calls, and offers no calls', async () => {
    replacePackage(() => {
      const message = `Cannot find package '${voicePackage}' imported from load-voice.ts`;
      throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
    });
    const service = await startService({ ...(await newDatabase()), VOICE: 'on' });
    assert.deepEqual((await service.get('/readyz')).json['warnings'], []);
    const visitor = await visit({ service });
    assert.deepEqual(await look(service), {
      warnings: [
        `The package ${voicePackage} is not installed, so assistants with web_calls offer no calls. Install it next to the service, or set VOICE=off.`,
      ],
      offersCalls: false,
      refusal: 'Voice is not available: web calls are switched off or not installed.',
    });
    await service.running.database.pool.query('UPDATE assistants SET deleted_at = now()');
    assert.equal((await visitor.call()).status, 404);
    assert.deepEqual((await service.get('/readyz')).json['warnings'], []);
  });

  for (const [title, code] of [
    ['that cannot be loaded', 'throw new Error("no native part")'],
    ['that fails to start', 'export const createVoice = () => Promise.reject(new Error("no port"))'],
  ] as const) {
    it(`runs without a voice package ${title}, reports it in /readyz, and offers no calls`, async () => {
      replacePackage(() => `data:text/javascript,${encodeURIComponent(code)}`);
      assert.deepEqual(await look(await startService({ VOICE: 'on' })), {
        warnings: [broken],
        offersCalls: false,
        refusal: `Voice is not available: ${broken}`,
      });
    });
  }

  it('reports unusable ports in /readyz once an assistant has web_calls', async () => {
    const voice = new MemoryVoice();
    const service = await startService(await newDatabase(), { voice });
    const warnings = async () => (await service.get('/readyz')).json['warnings'];
    voice.hasFreePort = false;
    assert.deepEqual(await warnings(), []);
    await visit({ service, voice });
    assert.deepEqual(await warnings(), []);
    voice.hasFreePort = false;
    assert.deepEqual(await warnings(), ['No port can be used.']);
  });

  it('reports missing speech in /readyz, and offers no calls', async () => {
    const problem = 'The transcription model is missing: install it.';
    const { media } = new MemoryVoice();
    const voice = {
      media,
      synthesizer: undefined,
      transcriber: undefined,
      problems: [problem],
      close: () => Promise.resolve(),
    };
    assert.deepEqual(await look(await startService({}, { voice })), {
      warnings: [problem],
      offersCalls: false,
      refusal: `Voice is not available: ${problem}`,
    });
  });
});

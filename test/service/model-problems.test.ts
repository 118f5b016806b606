import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { atEnd, createAssistant, newDatabase, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const env = await newDatabase();
const prepared = await startService(env);
const { uuid } = await createAssistant(prepared);
await prepared.running.close();

describe('a wrong key of the model', () => {
  it('is reported in the log and in /readyz after the start, before a visitor writes', async () => {
    model.behave({ status: 401 });
    const service = await startServiceProcess({
      ...env,
      ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-wrong', LLM_MODEL: 'm-1' },
    });
    const problem = 'The endpoint of the model "m-1" refuses the API key (401). Check LLM_API_KEY or MODELS.';
    const isReported = async () =>
      ((await service.get('/readyz')).json['warnings'] as string[]).includes(problem);
    await eventually('the warning', isReported);
    assert.ok(service.child.output().includes(JSON.stringify(problem)), service.child.output());
    assert.ok(!service.child.output().includes('sk-wrong'));
    assert.equal(model.requests.length, 0);
    model.behave({});
    await service.stop();
  });

  it('is reported to the operator in the log and in /readyz until the model answers, but not to visitors', async () => {
    const service = await startServiceProcess({
      ...env,
      ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-wrong', LLM_MODEL: 'm-1' },
    });
    const warnings = async () => (await service.get('/readyz')).json['warnings'] as string[];
    const problem = 'The endpoint of the model "m-1" refuses the API key (401). Check LLM_API_KEY or MODELS.';
    assert.ok(!(await warnings()).includes(problem));

    model.behave({ status: 401 });
    const conversation = await service.open(uuid);
    const { text } = await service.send(conversation, 'Hello');
    assert.match(text, /the assistant cannot answer at the moment"/);
    assert.doesNotMatch(text, /key|credential|model|401/);
    assert.ok((await warnings()).includes(problem));
    assert.ok(service.child.output().includes(JSON.stringify(problem)), service.child.output());
    assert.ok(!service.child.output().includes('sk-wrong'));

    model.behave({});
    assert.equal((await service.send(conversation, 'Hello again')).status, 200);
    assert.ok(!(await warnings()).includes(problem));
    await service.stop();
  });
});

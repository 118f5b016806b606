import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { processed } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { repository } from '../support/repository.ts';
import { atEnd, newDatabase, startService } from '../support/service/service.ts';

const run = promisify(execFile);

const service = await startService({ ...(await newDatabase()), WORKERS: 'on', JOB_POLL_SECONDS: '0.5' });
const owner = await Owner.create(service, '10');
const folder = await mkdtemp(join(tmpdir(), 'requests-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'hours.txt'), 'We are open Monday to Friday from 9 to 18.');

/** The shell samples of a page. */
const samples = (path: string) =>
  Array.from(
    readFileSync(join(repository, path), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm),
    ([, sample = '']) => sample,
  );

interface Answer {
  status: number;
  json: Record<string, unknown> & { data?: { id?: number; uuid?: string } };
}

/**
 * Runs a sample as a reader does: with the address of the service, and with their own values in the variables.
 *
 * @returns the response of each `curl`.
 */
async function runSample(sample: string, variables: Readonly<Record<string, string>>): Promise<Answer[]> {
  const unknown = Array.from(sample.matchAll(/^export (\w+)=/gm), ([, name = '']) => name).filter(
    (name) => !(name in variables),
  );
  assert.deepEqual(unknown, [], 'the reader does not know the value of a variable');
  const commands = sample
    .replace(/^export .*$/gm, '')
    .replaceAll('https://assistants.example', service.url)
    .replaceAll('/user/assistant/1 ', `/user/assistant/${variables['ASSISTANT'] ?? ''} `);
  const quiet = `set -euo pipefail
curl() { command curl --silent --show-error --write-out '\\n%{http_code}\\n' "$@"; }`;
  const { stdout } = await run('bash', ['-c', `${quiet}\n${commands}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...variables },
  });
  const lines = stdout.trim().split('\n');
  return Array.from({ length: Math.floor(lines.length / 2) }, (_, index) => ({
    json: JSON.parse(lines[2 * index] ?? '') as Answer['json'],
    status: Number(lines[2 * index + 1]),
  }));
}

const variables: Record<string, string> = { SERVICE: service.url, API_KEY: owner.key };

describe('the requests in the documentation', () => {
  test('create the first assistant, which answers from its documents', async () => {
    const page = samples('docs/first-assistant.md');
    assert.ok(page.length >= 7);
    let uuid = '';
    for (const sample of page) {
      // The id of the new knowledge base, which the same sample stores.
      if (sample.includes('export KNOWLEDGE')) variables['KNOWLEDGE'] = '';
      const answers = await runSample(sample, variables);
      assert.equal(answers.length, sample.match(/^curl /gm)?.length ?? 0, sample);
      for (const { status, json } of answers)
        assert.ok(status === 200 || status === 201, `${sample}\n${JSON.stringify(json)}`);
      const { id, uuid: found } = answers[0]?.json.data ?? {};
      if (sample.includes('"system_prompt"')) {
        variables['ASSISTANT'] = String(id);
        uuid = String(found);
      }
      if (sample.includes('export KNOWLEDGE')) variables['KNOWLEDGE'] = String(id);
    }
    const base = `knowledgebases/${variables['KNOWLEDGE'] ?? ''}/documents`;
    const { json } = await owner.get(base);
    const text = (json['data'] as { id: number; type: string }[]).find(({ type }) => type === 'txt');
    assert.ok(text);
    assert.equal((await processed(owner, Number(variables['KNOWLEDGE']), text.id)).status, 'active');
    const conversation = await service.open(uuid);
    const answer = await service.send(conversation, 'Are you open on Monday?');
    assert.match(String(answer.json['message']), /from 9 to 18/);
    variables['CONVERSATION'] = await service.open(uuid);
  });

  test('of a handoff take a conversation over, answer, and hand back', async () => {
    await service.send(String(variables['CONVERSATION']), 'Hello?');
    const page = samples('docs/recipes/handoff.md');
    assert.ok(page.length >= 4);
    for (const sample of page) {
      const answers = await runSample(sample, variables);
      assert.equal(answers.length, sample.match(/^curl /gm)?.length ?? 0, sample);
      for (const { status, json } of answers)
        assert.ok(status === 200 || status === 201, `${sample}\n${JSON.stringify(json)}`);
    }
    const history = await service.history(String(variables['CONVERSATION']));
    assert.ok(
      history.some((entry) => entry === 'assistant: Hello. How can I help?'),
      history.join('\n'),
    );
  });
});

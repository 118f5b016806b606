import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';

const service = await startService();

test('documents that are added to a new assistant at the same time are in one knowledge base', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'document-commands-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'prices.md');
  await writeFile(file, 'A cleaning costs 80 euros.');
  const { uuid } = await createAssistant(service);
  const add = async (name: string) => {
    const texts: string[] = [];
    const write = (text: string) => texts.push(text);
    const args = ['documents', 'add', '--assistant', uuid, '--file', file, '--name', name, '--json'];
    const code = await runCli(args, {}, { out: write, err: write }, service.running.database);
    assert.equal(code, 0, texts.join());
    return (JSON.parse(texts.join('')) as { knowledgebase_id: number }).knowledgebase_id;
  };
  const bases = await Promise.all(['prices', 'offers', 'repairs'].map(add));
  assert.equal(new Set(bases).size, 1);
});

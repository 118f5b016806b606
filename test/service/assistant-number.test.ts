import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assistantBody } from '../support/assistant-body.ts';
import { Owner } from '../support/owner.ts';
import { many } from '../support/field-table.ts';
import { addNumber } from '../support/records.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const owner = await Owner.create(service);
const stranger = await Owner.create(service);
const create = (more: Record<string, unknown> = {}) => owner.create('assistant', assistantBody(more));
describe("an assistant's phone number", () => {
  const refused = async (number: number, type: string) =>
    (await owner.post('assistant', assistantBody({ type, phone_number_id: number }))).errors[
      'phone_number_id'
    ];

  test("must be the account's own", async () => {
    assert.deepEqual(await refused(await addNumber(service, stranger.id), 'outbound'), [
      'The selected phone number id is invalid.',
    ]);
  });

  test('must not be a Caller ID for an inbound assistant', async () => {
    const number = await addNumber(service, owner.id, { type: 'caller_id' });
    assert.match((await refused(number, 'inbound'))?.[0] ?? '', /Caller ID/);
    assert.equal(await refused(number, 'outbound'), undefined);
  });

  test('belongs to one inbound assistant only, until that is deleted', async () => {
    const number = await addNumber(service, owner.id);
    const { id } = await create({ type: 'inbound', phone_number_id: number });
    assert.match((await refused(number, 'inbound'))?.[0] ?? '', /another inbound assistant/);
    assert.equal(await refused(number, 'outbound'), undefined);
    await owner.delete(`assistant/${id}`);
    assert.equal(await refused(number, 'inbound'), undefined);
  });

  test('goes to one of two inbound assistants that ask for it at once', async () => {
    const number = await addNumber(service, owner.id);
    const body = assistantBody({ type: 'inbound', phone_number_id: number });
    const answers = await Promise.all(many(4, body).map((given) => owner.post('assistant', given)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422]);
    for (const { status, errors } of answers) {
      if (status === 422) assert.deepEqual(Object.keys(errors), ['phone_number_id']);
    }
  });
});

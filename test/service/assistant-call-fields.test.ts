import { describe } from 'node:test';
import { assistantBody } from '../support/assistant-body.ts';
import { assistantCallTable } from '../support/assistant-call-table.ts';
import { testFields } from '../support/field-table.ts';
import { Owner } from '../support/owner.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const owner = await Owner.create(service);

describe('a field of a new assistant', () => {
  testFields(assistantCallTable, 201, (fields) => owner.post('assistant', assistantBody(fields)));
});

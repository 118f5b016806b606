import { describe } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { assistantCallTable } from '../support/records/assistant-call-table.ts';
import { testFields } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);

describe('a call field of createAssistant', () => {
  testFields(assistantCallTable, 201, (fields) => owner.post('assistant', assistantBody(fields)));
});

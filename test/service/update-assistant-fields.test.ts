import { describe } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { assistantCallTable } from '../support/records/assistant-call-table.ts';
import { assistantTable } from '../support/records/assistant-table.ts';
import { testFields } from '../support/records/field-table.ts';
import type { FieldRow } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);
const { id } = await owner.create('assistant', assistantBody());

/** Fields that only updates accept. */
const updateTable: FieldRow[] = [
  ['status', ['active', 'inactive'], ['deleted', '', 5, null]],
  [
    'widget_settings',
    [
      {},
      null,
      { theme: 'light' },
      { theme: 'dark' },
      { theme: 'auto' },
      { theme: 'system' },
      { color: '#3B82F6' },
      { theme: null, color: null, position: null },
      { color: 'x'.repeat(255) },
      { position: 'right-bottom' },
      { position: 'top-left' },
      { position: 'left' },
    ],
    [
      'x',
      5,
      { theme: 'pink' },
      { color: '' },
      { color: 'x'.repeat(256) },
      { position: 'middle' },
      { position: 'left-right' },
    ],
  ],
];

describe('a field of updateAssistant', () => {
  testFields([...assistantTable, ...assistantCallTable, ...updateTable], 200, (fields) =>
    owner.put(`assistant/${id}`, assistantBody(fields)),
  );
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayLabel } from '../../../src/widget/panel/message-log/day-label.ts';

describe('the name of a day', () => {
  const noon = new Date(2026, 4, 10, 12).getTime();

  it('begins with a capital letter', () => {
    assert.equal(dayLabel(noon, noon, ['en-GB', 'en']), 'Today');
    assert.equal(dayLabel(noon, noon, ['ru']), 'Сегодня');
  });

  it('stays as it is in Georgian, whose capital letters are only for texts in capitals', () => {
    assert.equal(dayLabel(noon, noon, ['ka']), 'დღეს');
  });
});

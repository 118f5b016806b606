import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { AssistantWidget, WidgetSettings } from '../../src/contract/widget-settings.ts';

describe('reading widget settings', () => {
  it('takes fields of a wrong type as empty and keeps the others', () => {
    assert.deepEqual(z.parse(WidgetSettings, { theme: 1, color: '#3B82F6', position: null, enabled: true }), {
      theme: '',
      color: '#3B82F6',
      position: '',
      enabled: true,
    });
  });

  it('takes any text, for the widget to fall back on its own', () => {
    const strange = { theme: 'sepia', color: 'url(x)', position: 'middle' };
    assert.deepEqual(z.parse(WidgetSettings, strange), strange);
  });

  it('takes settings that are missing, null, empty or nonsense', () => {
    for (const widget_settings of [undefined, null, {}, [], 'dark', 7]) {
      const answer = z.safeParse(AssistantWidget, {
        status: true,
        data: { name: 'Ada', language: 'de', widget_settings },
      });
      assert.equal(answer.success, true, JSON.stringify(widget_settings));
      assert.equal(answer.data.data.name, 'Ada');
    }
  });

  it('refuses an answer that tells of an error', () => {
    assert.equal(
      z.safeParse(AssistantWidget, { status: false, error: 'Assistant not found' }).success,
      false,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { AssistantWidget, WidgetSettings } from '../../src/contract/widget-settings.ts';

describe('WidgetSettings and AssistantWidget', () => {
  it('reads fields of a wrong type as empty and keeps the others', () => {
    assert.deepEqual(z.parse(WidgetSettings, { theme: 1, color: '#3B82F6', position: null, enabled: true }), {
      theme: '',
      color: '#3B82F6',
      position: '',
      enabled: true,
    });
  });

  it('accepts any string, so that the widget chooses the fallback', () => {
    const unknown = { theme: 'sepia', color: 'url(x)', position: 'middle' };
    assert.deepEqual(z.parse(WidgetSettings, unknown), unknown);
  });

  it('accepts missing, null, empty and invalid settings', () => {
    for (const widget_settings of [undefined, null, {}, [], 'dark', 7]) {
      const answer = z.safeParse(AssistantWidget, {
        status: true,
        data: { name: 'Ada', language: 'de', widget_settings },
      });
      assert.equal(answer.success, true, JSON.stringify(widget_settings));
      assert.equal(answer.data.data.name, 'Ada');
    }
  });

  it('rejects an error body', () => {
    assert.equal(
      z.safeParse(AssistantWidget, { status: false, error: 'Assistant not found' }).success,
      false,
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../../src/widget/conversation/snapshot.ts';
import { textOf } from '../../../src/widget/panel/message-log/event-text.ts';
import de from '../../../src/widget/texts/locales/de.ts';
import type { Texts } from '../../../src/widget/texts/texts.ts';

const texts: Texts = de;
const message: Message = { key: 'one', role: 'system', text: 'English.', status: 'done', functionCalls: [] };

test('an event is described in the language of the chat', () => {
  assert.equal(textOf({ ...message, event: 'ended' }, texts), texts.ended);
  assert.equal(textOf({ ...message, event: 'handed_over' }, texts), texts.person);
  assert.equal(textOf({ ...message, event: 'call_ended', duration: 84 }, texts), 'Anruf beendet · 1:24');
});

test('any other message keeps its text', () => {
  assert.equal(textOf(message, texts), 'English.');
});

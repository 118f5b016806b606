import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { click } from '../support/browser/page.ts';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

/** Started oscillators, since a test cannot hear the sound. */
let notes = 0;

function countNotes({ OscillatorNode, AudioScheduledSourceNode }: Window & typeof globalThis): void {
  // Shadows the inherited method.
  Object.defineProperty(OscillatorNode.prototype, 'start', {
    configurable: true,
    value(this: OscillatorNode, when?: number) {
      notes++;
      AudioScheduledSourceNode.prototype.start.call(this, when);
    },
  });
}

/** Opens a chat with a question that is being answered. */
async function waiting(attributes: Readonly<Record<string, string>>): Promise<[Chat, () => Promise<void>]> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('no-greeting'),
    ...attributes,
  });
  await chat.open();
  if ('sound' in attributes) {
    await until(
      () => performance.getEntriesByType('resource').some(({ name }) => /chunks\/extras-/.test(name)),
      'the sound’s script',
    );
  }
  const answer = await scriptAnswer({ chunks: ['Gladly', wait, ', yes.'] });
  // A trusted click, which browsers require before a page may play sound.
  await click(chat.input);
  await chat.ask(answer.question);
  await until(() => chat.messages.some((text) => text.includes('Gladly')), 'the beginning of the answer');
  return [chat, () => answer.resume()];
}

async function answeredUnseen(chat: Chat, resume: () => Promise<void>): Promise<void> {
  chat.element.hide();
  const answered = new Promise((resolve) => {
    chat.element.addEventListener('chat-message', resolve, { once: true });
  });
  await resume();
  await answered;
}

describe('the sound', () => {
  beforeEach(() => {
    notes = 0;
    countNotes(window);
  });
  afterEach(async () => {
    Reflect.deleteProperty(OscillatorNode.prototype, 'start');
    await unmountAll();
  });

  it('plays for an answer behind a closed panel', async () => {
    const [chat, resume] = await waiting({ sound: '' });
    await answeredUnseen(chat, resume);
    await until(() => notes === 2, 'its two notes');
  });

  it('does not play while the chat is visible, nor for the history of a conversation', async () => {
    const [chat, resume] = await waiting({ sound: '' });
    await resume();
    await chat.answered(1);
    chat.element.remove();
    const again = mount({
      'base-url': modelService.url,
      'assistant-id': chat.element.assistantId ?? '',
      sound: '',
    });
    await again.open();
    await again.answered(1);
    // Sounds for the first two would have come before this one.
    const [other, finish] = await waiting({ sound: '', persist: 'none' });
    await answeredUnseen(other, finish);
    await until(() => notes > 0, 'the sound of another chat');
    expect(notes).to.equal(2);
  });

  it('does not play without the attribute, or if the visitor has switched it off', async () => {
    const [silent, finishSilent] = await waiting({});
    await answeredUnseen(silent, finishSilent);
    silent.element.remove();

    localStorage.setItem('voice-assistant-chat:sound', 'off');
    const [muted, finishMuted] = await waiting({ sound: '' });
    await answeredUnseen(muted, finishMuted);
    muted.element.remove();

    const [chat, resume] = await waiting({ sound: '', persist: 'none' });
    await answeredUnseen(chat, resume);
    await until(() => notes > 0, 'the sound of another chat');
    expect(notes).to.equal(2);
  });

  describe('in two tabs with one conversation', () => {
    const pages: OtherPage[] = [];
    afterEach(() => {
      for (const page of pages.splice(0)) page.close();
    });

    const open = async (): Promise<OtherPage> => {
      const page = await openPage((page) => {
        countNotes(page as OtherPage['window']);
      });
      pages.push(page);
      page.chat.element.sound = true;
      page.chat.element.show();
      await page.chat.ready();
      await page.chat.answered(1);
      await until(
        () =>
          page.window.performance
            .getEntriesByType('resource')
            .some(({ name }) => /chunks\/extras-/.test(name)),
        'the sound’s script',
      );
      return page;
    };
    const hide = ({ window: { document } }: OtherPage): void => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    /** Browsers count a click for all frames of the page. */
    const clickAnywhere = async (): Promise<void> => {
      const button = document.body.appendChild(document.createElement('button'));
      await click(button);
      button.remove();
    };

    it('plays in the one that has received the answer, once the visitor is elsewhere', async () => {
      const [first, second] = [await open(), await open()];
      await clickAnywhere();
      hide(second);
      await first.chat.ask('What are your opening hours?');
      await first.chat.answered(2);
      await second.chat.answered(2);
      expect(notes, 'the visitor has seen the answer').to.equal(0);
      hide(first);
      for (const count of [3, 4]) {
        first.chat.element.send('And on Sunday?');
        await first.chat.answered(count);
        await second.chat.answered(count);
      }
      await until(() => notes >= 4, 'the notes of two answers');
      expect(notes).to.equal(4);
    });
  });
});

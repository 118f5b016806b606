import { expect } from '@open-wc/testing';
import type { ChatEventMap } from '../../src/widget/events.ts';
import { faulty, mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';

type Name = keyof ChatEventMap;

/** All events; the type checks that none is missing. */
const names = Object.keys({
  'chat-open': true,
  'chat-close': true,
  'chat-ready': true,
  'chat-send': true,
  'chat-sent': true,
  'chat-message': true,
  'chat-rating': true,
  'chat-tool': true,
  'chat-error': true,
} satisfies Record<Name, true>) as Name[];

/** The events received at the document. */
let received: { name: Name; detail: unknown }[] = [];
const record = (event: Event) => {
  received.push({ name: event.type as Name, detail: (event as CustomEvent<unknown>).detail });
};
const detailOf = <Of extends Name>(name: Of) =>
  received.find((event) => event.name === name)?.detail as ChatEventMap[Of]['detail'] | undefined;

describe('events', () => {
  beforeEach(() => {
    received = [];
    for (const name of names) document.addEventListener(name, record);
  });
  afterEach(async () => {
    for (const name of names) document.removeEventListener(name, record);
    await unmountAll();
  });

  it('report a visit from beginning to end, in order', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    await chat.ask('Do you deliver?');
    await chat.answered(2);
    await until(() => detailOf('chat-message') !== undefined, 'the answer');
    chat.element.open = false;
    await until(() => received.at(-1)?.name === 'chat-close', 'the end');
    // The order of `chat-sent` and `chat-message` is not specified.
    expect(received.map(({ name }) => name).filter((name) => name !== 'chat-sent')).to.deep.equal([
      'chat-open',
      'chat-ready',
      'chat-send',
      'chat-message',
      'chat-close',
    ]);
    expect(detailOf('chat-ready')?.resumed).to.equal(false);
    expect(detailOf('chat-send')).to.deep.equal({ text: 'Do you deliver?' });
    expect(detailOf('chat-sent')).to.deep.equal({ text: 'Do you deliver?' });
    expect(detailOf('chat-message')?.text).not.to.equal('');
    expect(detailOf('chat-message')?.latency).to.be.within(0, 60_000);
    expect(received[0]?.detail).to.equal(null);
  });

  it('report the rating of an answer', async () => {
    const chat = mount();
    await chat.open();
    await chat.ask('Do you deliver?');
    await chat.answered(2);
    const before = Date.now();
    const answer = chat.findAll('[part~="message-assistant"]').at(-1) as HTMLElement;
    answer.focus();
    await until(() => chat.find('[part="rate-button"]') !== null, 'the thumbs');
    await click(chat.part('rate-button'));
    await until(() => detailOf('chat-rating') !== undefined, 'the rating');
    const { at, ...rating } = detailOf('chat-rating') ?? {};
    expect(rating).to.deep.equal({
      text: answer.lastElementChild?.textContent.trim(),
      rating: 'up',
      conversationId: detailOf('chat-ready')?.conversationId,
      // The greeting and the question come before it.
      index: 2,
    });
    expect(at).to.be.closeTo(before, 10_000);
  });

  it('report a failure with its code', async () => {
    const chat = mount({ 'base-url': faulty('server-error') });
    await chat.open();
    await until(() => detailOf('chat-error') !== undefined, 'the error');
    expect(detailOf('chat-error')?.code).to.equal('unavailable');
    expect(detailOf('chat-error')?.message).not.to.equal('');
  });
});

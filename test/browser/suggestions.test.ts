import { expect } from '@open-wc/testing';
import { mount, nextEvent, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, engine, press, setViewport, supports } from '../support/browser/page.ts';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

function suggested(chat: Chat): string[] {
  return chat
    .findAll('[part="suggestion"]')
    .filter((chip) => chip.checkVisibility())
    .map(({ innerText }) => innerText.trim());
}

function chip(chat: Chat, text: string): HTMLElement {
  const found = chat.findAll('[part="suggestion"]').find(({ innerText }) => innerText.trim() === text);
  if (found === undefined) throw new Error(`“${text}” is not suggested.`);
  return found;
}

async function withSuggestions(...suggestions: string[]): Promise<Chat> {
  const chat = mount();
  chat.element.suggestions = suggestions;
  await chat.open();
  await until(() => suggested(chat).length > 0, 'the suggestions');
  return chat;
}

/** Opens a chat with a question and its answer. */
async function answering(markdown: string): Promise<Chat> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('no-greeting'),
  });
  await chat.open();
  const { question } = await scriptAnswer({ chunks: [markdown] });
  await chat.ask(question);
  await chat.answered(1);
  return chat;
}

describe('suggestions of the site', () => {
  afterEach(unmountAll);

  it('leave a conversation most of the height, and take what they need beside a greeting', async () => {
    const many = Array.from({ length: 8 }, (_, at) => `Suggestion number ${at}, which fills a row`);
    const chat = await withSuggestions(...many.slice(0, 5));
    const log = chat.part('message-log');
    const area = () => chat.part('suggestions').parentElement as HTMLElement;
    expect(area().scrollHeight, 'all of them').to.equal(area().clientHeight);
    await chat.ask('Hello');
    await chat.answered(2);
    chat.element.suggestions = many.map((text) => `${text}, and another one, later`);
    await until(() => suggested(chat).some((text) => text.endsWith('later')), 'other suggestions');
    expect(log.clientHeight).to.be.greaterThan(area().clientHeight);
  });

  it('leave room for the messages in a low window, such as one at 400 % zoom', async function () {
    if (!supports.phoneViewport) this.skip();
    await setViewport(320, 256);
    try {
      const chat = await withSuggestions('Opening hours', 'Do you deliver to islands?', 'Where is my order?');
      const log = chat.part('message-log');
      const { fontSize, paddingTop, paddingBottom } = getComputedStyle(log);
      const room = log.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
      expect(room / parseFloat(fontSize)).to.be.greaterThan(3.5);
      const suggestions = chat.part('suggestions').parentElement as HTMLElement;
      chip(chat, 'Where is my order?').focus();
      expect(suggestions.clientHeight).to.be.greaterThan(chip(chat, 'Where is my order?').offsetHeight);
      await click(chip(chat, 'Where is my order?'));
      await chat.answered(2);
    } finally {
      await setViewport(1000, 800);
    }
  });

  it('are all visible if there is little to read', async () => {
    const chat = await withSuggestions(
      'Opening hours',
      'Where is my parcel, and when does it arrive at the latest if I order today?',
      'Returns',
      'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller',
      'Talk to a person',
    );
    const suggestions = chat.part('suggestions').parentElement as HTMLElement;
    expect(suggestions.scrollHeight).to.equal(suggestions.clientHeight);
  });

  it('show above the composer, as a named group', async () => {
    const chat = await withSuggestions('Opening hours', 'Where is my order?');
    expect(suggested(chat)).to.deep.equal(['Opening hours', 'Where is my order?']);
    const group = chat.part('suggestions');
    expect(group.role).to.equal('group');
    expect(group.ariaLabel).to.equal('Suggested answers');
    expect(group.getBoundingClientRect().bottom).to.be.at.most(chat.input.getBoundingClientRect().top);
  });

  it('are sent by a click and disappear, and the focus moves to the composer', async () => {
    const chat = await withSuggestions('When do you open?');
    const sent = nextEvent<{ text: string }>(chat.element, 'chat-send');
    await click(chip(chat, 'When do you open?'));
    expect((await sent).text).to.equal('When do you open?');
    await chat.answered(2);
    expect(chat.messages[1]).to.equal('user: When do you open?');
    expect(suggested(chat)).to.deep.equal([]);
    expect(chat.element.shadowRoot?.activeElement === chat.input).to.be.true;
  });

  it('can be focused and sent by keyboard', async function () {
    // Safari's own setting decides whether Tab stops at buttons.
    if (engine === 'webkit') this.skip();
    const chat = await withSuggestions('When do you open?');
    chat.input.focus();
    await press('Shift+Tab');
    expect(chat.element.shadowRoot?.activeElement === chip(chat, 'When do you open?')).to.be.true;
    await press('Enter');
    await chat.answered(2);
    expect(chat.messages[1]).to.equal('user: When do you open?');
  });

  it('disappear when the visitor sends another message, and reappear only if others are set', async () => {
    const chat = await withSuggestions('Opening hours');
    await chat.ask('Do you deliver?');
    await chat.answered(2);
    expect(suggested(chat)).to.deep.equal([]);
    chat.element.suggestions = ['Opening hours'];
    chat.element.suggestions = ['Opening hours', 'Returns'];
    await until(() => suggested(chat).length === 2, 'the new suggestions');
    chat.element.suggestions = undefined;
    await until(() => suggested(chat).length === 0, 'the suggestions to disappear');
  });

  it('of a conversation disappear in the next one, too, when the visitor writes', async () => {
    const chat = await withSuggestions('Opening hours');
    await chat.ask('Do you deliver?');
    await chat.answered(2);
    chat.element.suggestions = ['Returns'];
    await until(() => suggested(chat).length === 1, 'the new suggestion');
    chat.element.restart();
    await until(() => chat.messages.length === 1 && suggested(chat).length === 1, 'the next conversation');
    await chat.ask('Where are you?');
    await chat.answered(2);
    expect(suggested(chat)).to.deep.equal([]);
  });

  it('leave out values that are not text, and are at most eight', async () => {
    const chat = mount();
    const many = Array.from({ length: 9 }, (_, index) => `No. ${index}`);
    const invalid: unknown[] = ['', 5, null, 'Good', 'x'.repeat(2001), ...many];
    chat.element.suggestions = invalid as string[];
    await chat.open();
    await until(() => suggested(chat).length > 0, 'the suggestions');
    expect(suggested(chat)).to.deep.equal(['Good', ...many.slice(0, 7)]);
    chat.element.suggestions = 'Hello' as unknown as string[];
    await until(() => suggested(chat).length === 0, 'the suggestions to disappear');
  });
});

describe('suggestions of an answer', () => {
  afterEach(unmountAll);

  const answer = 'Gladly. When?\n\n- [Today](reply:)\n- [Tomorrow & later](reply:)';

  it('are the list of `reply:` links at its end', async () => {
    const chat = await answering(answer);
    await until(() => suggested(chat).length > 0, 'the suggestions');
    expect(suggested(chat)).to.deep.equal(['Today', 'Tomorrow & later']);
    expect(chat.part('suggestions').ariaLabel).to.equal('Suggested answers');
    expect(chat.findAll('[part~="message-assistant"] li')).to.have.length(0);
  });

  it('are sent by a click, and disappear with the next message', async () => {
    const chat = await answering(answer);
    await until(() => suggested(chat).length > 0, 'the suggestions');
    await click(chip(chat, 'Today'));
    await until(() => chat.messages.includes('user: Today'), 'the message');
    await until(() => suggested(chat).length === 0, 'the suggestions to disappear');
  });

  it('are not shown before the answer is complete, in any form', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    await chat.open();
    const list = '- [Today](reply:)\n- [Tomorrow](reply:)';
    let answers = 0;
    for (const part of [
      '- [Tod',
      '- [Today](',
      '- [Today](reply:)\n- ',
      '- [Today](reply:)\n- [Tomorrow](reply',
    ]) {
      // The text before the list shows when their chunk has been rendered.
      const scripted = await scriptAnswer({
        chunks: [`**Gladly.**\n\n${part}`, wait, list.slice(part.length)],
      });
      await chat.ask(scripted.question);
      answers++;
      await until(() => chat.findAll('.markdown strong').length === answers, 'the beginning');
      expect(chat.findAll('.markdown li'), part).to.have.length(0);
      expect(chat.messages.at(-1), part).to.equal('assistant: Gladly.');
      expect(suggested(chat), part).to.deep.equal([]);
      await scripted.resume();
      await until(() => suggested(chat).length === 2, 'the suggestions');
      expect(chat.findAll('.markdown li'), part).to.have.length(0);
    }
  });

  it('are an ordinary list if they are not at the end or have other links', async () => {
    const chat = await answering(
      '- [Today](reply:)\n- [Now](reply:)\n\nSo?\n\n- [Site](https://site.example)\n- [Yes](reply:)',
    );
    await until(() => chat.findAll('.markdown li').length === 4, 'the lists');
    expect(suggested(chat)).to.deep.equal([]);
    expect(chat.findAll('.markdown a')).to.have.length(1);
  });
});

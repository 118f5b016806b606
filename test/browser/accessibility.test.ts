import { expect } from '@open-wc/testing';
import { violations } from '../support/axe-violations.ts';
import { faulty, mount, unmountAll, until } from '../support/chat-fixture.ts';
import { service } from '../support/service-under-test.ts';

describe('axe finds nothing wrong with', () => {
  afterEach(unmountAll);

  it('the closed widget', async () => {
    expect(await violations(mount())).to.equal('');
    expect(await violations(mount({ 'launcher-label': 'Help', 'launcher-sublabel': 'Ask us' }))).to.equal('');
  });

  for (const theme of ['light', 'dark']) {
    it(`a conversation, ${theme}`, async () => {
      const chat = mount({ theme, subheading: 'We answer at once' });
      await chat.open();
      await chat.ask('What are your opening hours?');
      await chat.answered(2);
      expect(await violations(chat)).to.equal('');
    });

    for (const color of ['#f5d90a', '#808080', '#c0ffee', '#8a1f11']) {
      it(`a conversation in ${color}, ${theme}`, async () => {
        const chat = mount({ theme, color, position: 'left-top' });
        await chat.open();
        await chat.ask('Hello');
        await chat.answered(2);
        expect(await violations(chat)).to.equal('');
      });
    }

    for (const kind of ['not-found', 'insufficient-balance', 'html']) {
      it(`the problem "${kind}", ${theme}`, async () => {
        const chat = mount({ theme, 'base-url': faulty(kind) });
        chat.element.show();
        await until(() => chat.problems.length === 1, 'the problem');
        await chat.ask('Waiting');
        expect(await violations(chat)).to.equal('');
      });
    }

    it(`a failed message and a countdown, ${theme}`, async () => {
      const chat = mount({ theme, 'base-url': faulty('too-many-requests') });
      await chat.open();
      await chat.ask('Hello');
      await chat.problem(/Trying again/);
      expect(await violations(chat)).to.equal('');
    });
  }

  for (const shows of ['no-greeting', 'settings', 'german', 'arabic'] as const) {
    it(`the assistant that shows "${shows}"`, async () => {
      const chat = mount({ 'assistant-id': service.assistantThatShows(shows) });
      await chat.open();
      await chat.ask('Hello');
      await chat.answered(1);
      expect(await violations(chat)).to.equal('');
    });
  }

  it('a text that is too long', async () => {
    const chat = mount();
    await chat.open();
    chat.element.send('x'.repeat(2001));
    await until(() => chat.input.getAttribute('aria-invalid') === 'true', 'the explanation');
    expect(await violations(chat)).to.equal('');
  });

  it('an answer under way', async () => {
    const chat = mount({ 'base-url': faulty('timeout-on-message') });
    await chat.open();
    await chat.ask('Hello');
    await until(() => chat.find('[part="typing"]') !== null, 'the sign of writing');
    expect(await violations(chat)).to.equal('');
  });

  it('an inline chat, and the test mode with its inspector', async () => {
    const inline = mount({ inline: '' });
    await inline.ready();
    expect(await violations(inline)).to.equal('');
    const test = mount({ type: 'test', variables: '{"first_name":"Ada"}' });
    await test.open();
    await test.ask('Hello');
    await test.answered(2);
    await until(() => test.find('[part="inspector"] dd') !== null, 'the inspector');
    expect(await violations(test)).to.equal('');
  });
});

describe('a screen reader', () => {
  afterEach(unmountAll);

  it('meets a dialog named by the assistant, and a region when inline', async () => {
    const chat = mount({ heading: 'Ask Nordkamm' });
    await chat.open();
    const panel = chat.part('panel');
    expect(panel.getAttribute('role')).to.equal('dialog');
    expect(chat.find(`#${panel.getAttribute('aria-labelledby') ?? ''}`)?.innerText).to.equal('Ask Nordkamm');
    const inline = mount({ inline: '' });
    await inline.ready();
    expect(inline.part('panel').getAttribute('role')).to.equal('region');
  });

  it('hears who said what', async () => {
    const chat = mount({ heading: 'Kim' });
    await chat.open();
    await chat.ask('Hello');
    await chat.answered(2);
    const [greeting, question] = chat
      .findAll('[part~="message"]')
      .map(({ innerText, textContent }) => innerText || textContent);
    expect(greeting).to.match(/^\s*Kim:\s/);
    expect(question).to.match(/^\s*You:\s+Hello/);
  });
});

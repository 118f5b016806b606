import { cannedService, serveHistory } from './canned-history.ts';
import { faulty, mount, until, type Chat } from './chat-fixture.ts';
import { click } from '../browser/page.ts';
import { scriptAnswer } from '../browser/script-answer.ts';
import { modelService } from '../browser/service-under-test.ts';

type Attributes = Readonly<Record<string, string>>;

/** An answer with every kind of Markdown. */
const richAnswer = [
  '# Sizes and **fits**\n## In short',
  'Measure your *foot* in the evening, then [look it up](https://example.com/sizes) or use `find size`.',
  '- One point\n- Another, with a word of many letters: Donaudampfschifffahrtsgesellschaft\n  1. And below it',
  '- [x] Measured\n- [ ] Ordered',
  '> A quotation',
  '| Size | Length | Width | In stock |\n|---|--:|:-:|---|\n| 42 | 26.5 cm | 10 cm | yes |\n| 43 | 27.2 cm | 10.3 cm | no |',
  '```js\nconst size = find({ length: 26.5, width: 10, unit: "cm", sock: "thick", purpose: "walking" });\n```',
].join('\n\n');

async function scripted(attributes: Attributes, chunks: string[]): Promise<Chat> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('greeting'),
    ...attributes,
  });
  await chat.open();
  const { question } = await scriptAnswer({ chunks });
  await chat.ask(question);
  return chat;
}

/** Focuses the last answer and waits for its tools. */
async function focusLastAnswer(chat: Chat): Promise<void> {
  chat.findAll('[part~="message-assistant"]').at(-1)?.focus();
  await until(() => chat.find('[part="message-tools"]') !== null, 'the tools of the message');
}

/** The states of the chat, each with a function that puts a new chat into it. */
export const chatStates: Readonly<Record<string, (attributes: Attributes) => Promise<Chat>>> = {
  'a launcher': async (attributes) => {
    const chat = mount({
      'launcher-label': 'Donaudampfschifffahrtsgesellschaft?',
      'launcher-sublabel': 'Ask us',
      ...attributes,
    });
    await until(() => !chat.find('.root')?.hasAttribute('data-pending'), 'the launcher');
    return chat;
  },
  'an invitation': async (attributes) => {
    const chat = mount({ teaser: 'Questions about sizes? Ask away.', 'teaser-delay': '0', ...attributes });
    await until(
      () => chat.find('[part="teaser"]')?.checkVisibility({ visibilityProperty: true }) ?? false,
      'the teaser',
    );
    await until(() => chat.part('teaser-dismiss-button').title !== '', 'the label of its button');
    return chat;
  },
  'a long answer in Markdown, with its tools': async (attributes) => {
    const chat = await scripted({ subheading: 'We answer at once', ...attributes }, [richAnswer]);
    await chat.answered(2);
    await until(() => chat.find('.markdown figure') !== null, 'the answer to be rendered as Markdown');
    await focusLastAnswer(chat);
    return chat;
  },
  'a person with a long name': async (attributes) => {
    const author = 'christina.oberhofer.kundenservice@musterundsoehne.example';
    serveHistory([{ role: 'assistant', author, content: 'Hello!' }]);
    const chat = mount({ 'base-url': cannedService, ...attributes });
    await chat.open();
    await until(() => chat.find('[part="message-author"]') !== null, 'the name');
    return chat;
  },
  'messages further down': async (attributes) => {
    const chat = mount(attributes);
    await chat.open();
    await chat.ask('What are your opening hours?\n'.repeat(30));
    await chat.answered(2);
    await until(() => {
      // Repeated, since the end of the answer may scroll down.
      chat.part('message-log').scrollTop = 0;
      return chat.find('[part="latest-button"]') !== null;
    }, 'the button that scrolls to the latest message');
    return chat;
  },
  'an answer that waits for its first word': async (attributes) => {
    const chat = mount({ 'base-url': faulty('timeout-on-message'), ...attributes });
    await chat.open();
    await chat.ask('Hello');
    await until(() => chat.find('[part="typing"]') !== null, 'the typing indicator');
    return chat;
  },
  'a message that was not sent': async (attributes) => {
    const chat = mount({ 'base-url': faulty('balance-spent'), ...attributes });
    await chat.open();
    await chat.ask('Hello');
    await until(() => chat.find('[part="edit-button"]') !== null, 'the problem');
    return chat;
  },
  'a conversation that does not open': async (attributes) => {
    const chat = mount({ 'base-url': faulty('not-found'), ...attributes });
    chat.element.show();
    await until(() => chat.find('[part="retry-button"]') !== null, 'the problem');
    return chat;
  },
  'a text that is too long': async (attributes) => {
    const chat = mount(attributes);
    await chat.open();
    chat.element.send('x'.repeat(2001));
    await until(() => chat.input.ariaInvalid === 'true', 'the explanation');
    return chat;
  },
  'an open menu': async (attributes) => {
    const chat = mount(attributes);
    await chat.open();
    await chat.answered(1);
    await click(chat.part('menu-button'));
    await until(() => chat.find('.menu:popover-open button') !== null, 'the menu');
    return chat;
  },
  'a page tool that asks to be allowed': async (attributes) => {
    const chat = mount(attributes);
    chat.element.tools = [
      { name: 'show_product', description: 'Shows a product on the page.', run: () => 'shown' },
    ];
    await chat.open();
    await chat.ask('Please show product "ALP-40".');
    await until(() => chat.find('[part~="tool-request"] button') !== null, 'the question for consent');
    return chat;
  },
  'a chat that one can speak with': async (attributes) => {
    const chat = mount({ voice: '', ...attributes });
    await chat.open();
    await chat.answered(1);
    await until(() => chat.find('[part="read-button"]') !== null, 'the buttons');
    return chat;
  },
  'a form before the conversation': async (attributes) => {
    const chat = mount(attributes);
    chat.element.form = [
      { name: 'first_name', label: 'First name', required: true, autocomplete: 'given-name' },
      { name: 'subject', label: 'What is it about?', type: 'select', options: ['Sizes', 'Returns'] },
      { name: 'details', label: 'Details', type: 'textarea' },
      { name: 'letters', label: 'Send me letters', type: 'checkbox' },
    ];
    chat.element.show();
    await until(() => chat.find('[part="start-button"]') !== null, 'the form');
    return chat;
  },
  'suggestions of answers': async (attributes) => {
    const chat = mount(attributes);
    chat.element.suggestions = ['Opening hours', 'Where is my parcel, and when does it come?', 'Returns'];
    await chat.open();
    await until(() => chat.find('[part="suggestion"]') !== null, 'the suggestions');
    return chat;
  },
  'a preview with its inspector': async (attributes) => {
    const chat = mount({ type: 'test', variables: '{"first_name":"Ada"}', ...attributes });
    await chat.open();
    await until(() => chat.find('[part="inspector"] dd') !== null, 'the inspector');
    return chat;
  },
};

import { expect } from '@open-wc/testing';
import type { FormField } from '../../src/widget/form-field.ts';
import { faulty, mount, nextEvent, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press, type } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

const fields: readonly FormField[] = [
  { name: 'first_name', label: 'First name', required: true, autocomplete: 'given-name' },
  { name: 'email', label: 'E-mail', type: 'email', required: true },
  { name: 'site', label: 'Website', type: 'url' },
  { name: 'size', label: 'Shoe size', type: 'number' },
  { name: 'topic', label: 'Topic', type: 'select', options: ['Order', 'Repair'], required: true },
  { name: 'news', label: 'Send me news', type: 'checkbox' },
];

/** The requests that the page makes from now on, as `POST /api/conversations`. */
function watchRequests(): { readonly seen: string[]; readonly bodies: unknown[]; readonly stop: () => void } {
  const original = window.fetch.bind(window);
  const seen: string[] = [];
  const bodies: unknown[] = [];
  window.fetch = (input, init) => {
    const { method, url } = new Request(input, init);
    seen.push(`${method} ${new URL(url).pathname}`);
    if (typeof init?.body === 'string') bodies.push(JSON.parse(init.body));
    return original(input, init);
  };
  return {
    seen,
    bodies,
    stop: () => {
      window.fetch = original;
    },
  };
}

async function openForm(form: unknown = fields, attributes: Record<string, string> = {}): Promise<Chat> {
  const chat = mount(attributes);
  chat.element.form = form as readonly FormField[];
  await chat.pressLauncher();
  await until(() => chat.find('[part="form"]') !== null, 'the form');
  return chat;
}

function field(chat: Chat, name: string): HTMLInputElement {
  return chat.find(`[part="form"] [name="${name}"]`) as HTMLInputElement;
}

function fill(chat: Chat, answers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(answers)) {
    field(chat, name).value = value;
    field(chat, name).dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
}

function faultOf(chat: Chat, name: string): string {
  const id = field(chat, name).getAttribute('aria-describedby');
  return id === null ? '' : (chat.find(`#${id}`)?.innerText ?? '');
}

const good = { first_name: 'Ada', email: 'ada@site.example', topic: 'Repair' };

describe('the form before the chat', () => {
  let requests: ReturnType<typeof watchRequests>;
  beforeEach(() => {
    requests = watchRequests();
  });
  afterEach(async () => {
    requests.stop();
    await unmountAll();
  });

  it('replaces the chat, and no conversation opens before it is filled in', async () => {
    const chat = await openForm();
    await until(() => !chat.input.checkVisibility(), 'the composer to disappear');
    await until(() => !chat.part('message-log').checkVisibility(), 'the messages to disappear');
    chat.element.send('Hello?');
    fill(chat, good);
    expect(requests.seen.filter((request) => request === 'POST /api/conversations')).to.deep.equal([]);
    await click(chat.part('start-button'));
    await chat.answered(1);
    expect(chat.find('[part="form"]')).to.be.null;
    expect(chat.input.value, 'the message of the page').to.equal('Hello?');
    expect(chat.messages).to.have.length(1);
  });

  it('is shown if the page sets it in a listener for `chat-open`', async () => {
    const chat = mount();
    chat.launcher.focus();
    await until(() => chat.find('[part="panel"][data-prepared]') !== null, 'the panel to load');
    chat.element.addEventListener('chat-open', () => {
      chat.element.form = fields;
    });
    await chat.pressLauncher();
    await until(() => chat.find('[part="form"]') !== null, 'the form');
    expect(requests.seen.filter((request) => request === 'POST /api/conversations')).to.deep.equal([]);
  });

  it('takes the focus when the visitor opens the chat, and passes it to the composer', async () => {
    const chat = await openForm();
    const focused = (): Element | null => chat.element.shadowRoot?.activeElement ?? null;
    await until(() => focused() === field(chat, 'first_name'), 'the focus in the first field');
    await type('Ada');
    fill(chat, { email: 'ada@site.example', topic: 'Order' });
    await press('Enter');
    await until(() => focused() === chat.input, 'the focus in the composer');
  });

  it('turns the answers into variables, which override those of the tag', async () => {
    const chat = await openForm(fields, { variables: '{"first_name":"nobody","plan":"gold"}' });
    fill(chat, { ...good, first_name: ' Ada ', site: 'ada.example', size: '42.5' });
    await click(field(chat, 'news'));
    await click(chat.part('start-button'));
    await chat.answered(1);
    const opening = requests.bodies.find((body) => 'assistant_id' in (body as object)) as {
      variables: unknown;
    };
    expect(opening.variables).to.deep.equal({
      first_name: 'Ada',
      plan: 'gold',
      email: 'ada@site.example',
      site: 'https://ada.example/',
      size: 42.5,
      topic: 'Repair',
      news: true,
    });
  });

  it('shows an error at each invalid field, focuses the first, and removes the error when it is corrected', async () => {
    const chat = await openForm();
    fill(chat, { email: 'ada@', site: 'no address', size: '' });
    await click(chat.part('start-button'));
    await until(() => faultOf(chat, 'first_name') !== '', 'the faults');
    expect(faultOf(chat, 'first_name')).to.equal('Fill in this field.');
    expect(faultOf(chat, 'email')).to.equal('Check this entry.');
    expect(faultOf(chat, 'site')).to.equal('Check this entry.');
    expect(faultOf(chat, 'topic')).to.equal('Fill in this field.');
    expect(faultOf(chat, 'size')).to.equal('');
    expect(field(chat, 'email').ariaInvalid).to.equal('true');
    expect(chat.element.shadowRoot?.activeElement === field(chat, 'first_name')).to.be.true;
    fill(chat, { email: 'ada@site.example' });
    await until(() => faultOf(chat, 'email') === '', 'the fault to disappear');
    expect(field(chat, 'email').getAttribute('aria-invalid')).to.be.null;
  });

  it('accepts options with spaces, as the site has written them', async () => {
    const options = ['Repair', 'Order  with two spaces '];
    const chat = await openForm([{ name: 'topic', label: 'Topic', type: 'select', options, required: true }]);
    const select = field(chat, 'topic') as unknown as HTMLSelectElement;
    select.selectedIndex = 2;
    select.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await click(chat.part('start-button'));
    await chat.answered(1);
    expect(requests.bodies[0]).to.have.nested.property('variables.topic', options[1]);
  });

  it('does not take a text that is no number for an empty field', async () => {
    const chat = await openForm([{ name: 'size', label: 'Shoe size', type: 'number' }]);
    const focused = (): Element | null => chat.element.shadowRoot?.activeElement ?? null;
    await until(() => focused() === field(chat, 'size'), 'the focus');
    // Browsers report it as the value "".
    await type('4e');
    await press('Enter');
    await until(() => faultOf(chat, 'size') === 'Check this entry.', 'the fault');
    await type('1');
    await until(() => faultOf(chat, 'size') === '', 'the fault to disappear');
    await press('Enter');
    await chat.answered(1);
    expect(requests.bodies[0]).to.have.nested.property('variables.size', 40);
  });

  it('keeps what is typed into a text area after its error was shown', async () => {
    const chat = await openForm([{ name: 'question', label: 'Question', type: 'textarea', required: true }]);
    await click(chat.part('start-button'));
    await until(() => faultOf(chat, 'question') !== '', 'the fault');
    fill(chat, { question: 'Do you' });
    await until(() => faultOf(chat, 'question') === '', 'the fault to disappear');
    expect(field(chat, 'question').value).to.equal('Do you');
  });

  it('has names, types and hints for autofill', async () => {
    const chat = await openForm();
    const labels = chat.findAll('[part="form"] label').map(({ innerText }) => innerText.trim());
    expect(labels).to.deep.equal([
      'First name',
      'E-mail',
      'Website (optional)',
      'Shoe size (optional)',
      'Topic',
      'Send me news (optional)',
    ]);
    expect(field(chat, 'first_name').autocomplete).to.equal('given-name');
    expect(field(chat, 'email').autocomplete).to.equal('email');
    expect(field(chat, 'email').type).to.equal('email');
    expect(field(chat, 'email').required).to.be.true;
  });

  it('keeps answers across a reload, and forgets them once the conversation is open', async () => {
    const first = await openForm();
    fill(first, { first_name: 'Ada' });
    first.element.remove();
    const second = await openForm();
    expect(field(second, 'first_name').value).to.equal('Ada');
    fill(second, good);
    await click(second.part('start-button'));
    await second.answered(1);
    expect(Object.keys(localStorage).filter((key) => key.includes(':form:'))).to.deep.equal([]);
    second.element.remove();
    const third = mount();
    third.element.form = fields;
    await third.open();
    await third.answered(1);
    expect(third.find('[part="form"]'), 'of a conversation that goes on').to.be.null;
  });

  it('drops answers that their fields no longer offer, so that they do not block the form', async () => {
    const form = (...options: string[]): FormField[] => [
      { name: 'topic', label: 'Topic', type: 'select', options },
      { name: 'reason', label: 'Reason', type: 'select', options },
    ];
    const first = await openForm(form('Order', 'Repair'));
    fill(first, { topic: 'Repair', reason: 'Order' });
    first.element.remove();
    const second = await openForm(form('Order', 'Reparatur'));
    expect(field(second, 'topic').value).to.equal('');
    expect(field(second, 'reason').value).to.equal('Order');
    await click(second.part('start-button'));
    await second.answered(1);
    const { variables } = requests.bodies.find((body) => 'assistant_id' in (body as object)) as {
      variables: unknown;
    };
    expect(variables).to.deep.equal({ reason: 'Order' });
  });

  it('keeps its answers on the next page, whose tag has variables of the same names', async () => {
    const variables = '{"first_name":"nobody","plan":"gold"}';
    const first = await openForm(fields, { variables });
    fill(first, good);
    await click(first.part('start-button'));
    await first.answered(1);
    const sent = (): unknown =>
      (requests.bodies.findLast((body) => 'message' in (body as object)) as { variables?: unknown })
        .variables;
    await first.ask('On the first page');
    await first.answered(2);
    expect(sent(), 'to a service that has them').to.be.undefined;
    first.element.remove();
    const second = mount({ variables });
    second.element.context = { email: 'unknown', page: 'sizes' };
    await second.open();
    await second.ask('On the second page');
    await second.answered(3);
    expect(sent()).to.deep.equal({ page: 'sizes', plan: 'gold' });
    const read = await fetch(`${service.url}/api/conversations/${second.conversationId}`);
    expect(((await read.json()) as { variables: unknown }).variables).to.include({ ...good, page: 'sizes' });
  });

  it('is asked once per visit, and again after `forget()`', async () => {
    const chat = await openForm();
    fill(chat, good);
    await click(chat.part('start-button'));
    await chat.answered(1);
    const ready = nextEvent<{ resumed: boolean }>(chat.element, 'chat-ready');
    chat.element.restart();
    expect((await ready).resumed).to.be.false;
    expect(chat.find('[part="form"]')).to.be.null;
    chat.element.forget();
    await until(() => !chat.isOpen, 'the panel to close');
    await click(chat.launcher);
    await until(() => chat.find('[part="form"]') !== null, 'the form');
    expect(field(chat, 'first_name').value).to.equal('');
  });

  it('is asked again in both chats of a page after `forget()` of one', async () => {
    const first = await openForm();
    fill(first, good);
    await click(first.part('start-button'));
    await first.answered(1);
    const second = mount({ inline: '' });
    second.element.form = fields;
    await second.answered(1);
    second.element.forget();
    for (const chat of [first, second]) {
      await until(() => chat.find('[part="form"]')?.checkVisibility() === true, 'the form');
      expect(field(chat, 'first_name').value).to.equal('');
    }
  });

  it('sends nothing that was entered before `forget()`', async () => {
    const chat = await openForm();
    fill(chat, good);
    await click(chat.part('start-button'));
    await chat.answered(1);
    chat.element.forget();
    await until(() => !chat.isOpen, 'the panel to close');
    await click(chat.launcher);
    await until(() => chat.find('[part="form"]') !== null, 'the form');
    await click(chat.part('start-button'));
    await until(() => faultOf(chat, 'first_name') !== '', 'the missing name');
    expect(requests.bodies.filter((body) => 'assistant_id' in (body as object))).to.have.length(1);
  });

  it('is shown before a new conversation if the one of an earlier visit has ended', async () => {
    const ending = { 'base-url': faulty('ended') };
    const first = mount(ending);
    await first.open();
    await first.ask('One question');
    await first.answered(2);
    first.element.remove();
    const chat = mount(ending);
    chat.element.form = fields;
    await chat.open();
    await chat.problem(/has ended/);
    await click(chat.part('retry-button'));
    await until(() => chat.find('[part="form"]') !== null, 'the form');
    fill(chat, good);
    await click(chat.part('start-button'));
    await chat.answered(1);
    const openings = requests.bodies.filter((body) => 'assistant_id' in (body as object));
    expect(openings).to.have.length(2);
    expect((openings[1] as { variables: unknown }).variables).to.include({ first_name: 'Ada' });
  });

  it('is shown again if the conversation was deleted before the visitor wrote', async () => {
    const losing = { 'base-url': faulty('conversation-not-found') };
    const first = await openForm(fields, losing);
    fill(first, good);
    await click(first.part('start-button'));
    await first.answered(1);
    first.element.remove();
    const chat = mount(losing);
    chat.element.form = fields;
    await chat.pressLauncher();
    await until(() => chat.find('[part="form"]')?.checkVisibility() === true, 'the form');
    const openings = requests.bodies.filter((body) => 'assistant_id' in (body as object));
    expect(openings).to.have.length(1);
  });

  it('takes the focus if the visitor starts a new conversation', async () => {
    const first = mount();
    await first.open();
    await first.answered(1);
    first.element.remove();
    const chat = mount();
    chat.element.form = fields;
    await chat.open();
    await chat.answered(1);
    await click(chat.part('restart-button'));
    await until(() => chat.find('[part="form"]') !== null, 'the form');
    const focused = (): Element | null => chat.element.shadowRoot?.activeElement ?? null;
    await until(() => focused() === field(chat, 'first_name'), 'the focus in the first field');
  });

  it('leaves out invalid fields, and is not shown without valid ones', async () => {
    const invalidFields: unknown[] = [
      { label: 'Without a name' },
      { name: 'x'.repeat(65), label: 'Long' },
      { name: 'unlabelled' },
      { name: 'kind', label: 'Kind', type: 'password' },
      { name: 'choice', label: 'Choice', type: 'select', options: [] },
      null,
    ];
    const chat = await openForm([
      ...invalidFields,
      { name: 'good', label: 'Good' },
      { name: 'good', label: 'Twice' },
    ]);
    expect(chat.findAll('[part="form"] label').map(({ innerText }) => innerText)).to.deep.equal([
      'Good (optional)',
    ]);
    const other = mount({ inline: '' });
    other.element.form = invalidFields as FormField[];
    await other.answered(1);
    expect(other.find('[part="form"]')).to.be.null;
  });

  it('disappears when the site removes it', async () => {
    const chat = await openForm();
    chat.element.form = undefined;
    await chat.answered(1);
    expect(chat.find('[part="form"]')).to.be.null;
    expect(chat.input.checkVisibility()).to.be.true;
  });

  it('is shown to the next visitor, without the answers and entries of the one before', async () => {
    const { bodies, stop } = watchRequests();
    try {
      const chat = await openForm(fields, { 'user-key': 'ada' });
      fill(chat, good);
      await click(chat.part('start-button'));
      await chat.answered(1);
      chat.element.userKey = 'ben';
      await until(() => chat.find('[part="form"]') !== null, 'the form for the next visitor');
      expect(field(chat, 'email').value).to.equal('');
      fill(chat, { email: 'ben@site.example' });
      chat.element.userKey = 'cora';
      await until(() => chat.find('[part="form"] [name=email]') !== null, 'the form for the third visitor');
      await until(() => field(chat, 'email').value === '', 'an empty form');
      expect(bodies).to.have.length(1);
    } finally {
      stop();
    }
  });
});

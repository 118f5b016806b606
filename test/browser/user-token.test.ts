import { expect } from '@open-wc/testing';
import { conversationKey, mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { takeOverAndWrite } from '../support/browser/take-over-and-write.ts';
import { requestAsOwner as request } from '../support/browser/request-as-owner.ts';
import { assistantBody } from '../support/records/assistant-body.ts';

/** An assistant of this file, since engines share the service and a new secret replaces the previous one. */
const created = await request('assistant', assistantBody({ initial_message: 'Hi {{verified.name}}!' }));
const assistant = created['data'] as { id: number; uuid: string };
const { secret } = (await request(`assistants/${assistant.id}/user-token-secret`, {})) as { secret: string };

const encode = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Signs a user token of one minute, as the site's server would. */
async function sign(sub: string, claims: Record<string, unknown> = {}): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const payload = JSON.stringify({ sub, exp, name: sub, ...claims });
  const content = `${encode('{"alg":"HS256"}')}.${encode(payload)}`;
  const [key, data] = [secret, content].map((text) => new TextEncoder().encode(text)) as [
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>,
  ];
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, data));
  return `${content}.${encode(String.fromCharCode(...signature))}`;
}

/** A user of this test only. */
const newUser = () => `user-${crypto.randomUUID().slice(0, 8)}`;
const expired = () => ({ exp: Math.floor(Date.now() / 1000) - 3600 });

const show = (userToken?: string) =>
  mount({ 'assistant-id': assistant.uuid, ...(userToken !== undefined && { 'user-token': userToken }) });

const originalFetch = window.fetch.bind(window);

describe('a visitor with a user token', () => {
  afterEach(async () => {
    window.fetch = originalFetch;
    await unmountAll();
  });

  it('finds the conversation after the storage was cleared', async () => {
    const user = newUser();
    const chat = show(await sign(user));
    await chat.open();
    await chat.ask('Remember me');
    await chat.answered(2);
    expect(chat.messages[0]).to.equal(`assistant: Hi ${user}!`);
    chat.element.remove();
    localStorage.clear();

    const again = show(await sign(user));
    await again.open();
    await again.answered(2);
    expect(again.messages.slice(0, 2)).to.deep.equal([`assistant: Hi ${user}!`, 'user: Remember me']);
  });

  it('sees an empty conversation after logging out, and their own after logging in again', async () => {
    const [user, other] = [newUser(), newUser()];
    const chat = show(await sign(user));
    await chat.open();
    await chat.ask('My secret');
    await chat.answered(2);
    chat.element.userToken = null;
    await until(() => chat.messages.join() === 'assistant: Hi !', 'the conversation of nobody');
    chat.element.userToken = await sign(other);
    await until(() => chat.messages.join() === `assistant: Hi ${other}!`, 'the conversation of another user');
    chat.element.userToken = await sign(user);
    await until(() => chat.messages.includes('user: My secret'), 'the first conversation');
  });

  it('keeps the conversation and the draft when the page renews the token', async () => {
    const user = newUser();
    const chat = show(await sign(user));
    await chat.open();
    const opened: string[] = [];
    chat.element.addEventListener('chat-ready', ({ detail }) => opened.push(detail.conversationId));
    const node = chat.input;
    chat.write('Half a sent');
    chat.element.userToken = await sign(user, { renewed: true });
    await new Promise(requestAnimationFrame);
    expect(chat.input.value).to.equal('Half a sent');
    await chat.ask('Still here?');
    await chat.answered(2);
    expect(opened).to.deep.equal([]);
    expect(chat.input).to.equal(node);
  });

  it('gets a new conversation with “New conversation”, and keeps it', async () => {
    const user = newUser();
    const chat = show(await sign(user));
    await chat.open();
    await chat.ask('The first one');
    await chat.answered(2);
    chat.element.restart();
    await until(() => chat.messages.length === 1, 'the new conversation');
    await chat.ask('The second one');
    await chat.answered(2);
    chat.element.remove();
    localStorage.clear();

    const again = show(await sign(user));
    await again.open();
    await again.answered(2);
    expect(again.messages).to.include('user: The second one').and.not.include('user: The first one');
  });

  it('gets the new conversation even if the page was reloaded before it had opened', async () => {
    const user = newUser();
    const chat = show(await sign(user));
    await chat.open();
    await chat.ask('The first one');
    await chat.answered(2);
    let requested = false;
    window.fetch = (input, init) => {
      if (!/\/conversations$/.test(input as string)) return originalFetch(input, init);
      requested = true;
      return new Promise(() => undefined);
    };
    chat.element.restart();
    await until(() => requested, 'the request for a new conversation');
    chat.element.remove();
    window.fetch = originalFetch;

    const again = show(await sign(user));
    await again.open();
    await again.answered(1);
    expect(again.messages).to.deep.equal([`assistant: Hi ${user}!`]);
  });

  it('sees that the token has expired, and the chat opens once the page has set another one', async () => {
    const user = newUser();
    const codes: string[] = [];
    const chat = show(await sign(user, expired()));
    chat.element.addEventListener('chat-error', ({ detail }) => codes.push(detail.code));
    await until(() => chat.element.shadowRoot !== null, 'the launcher');
    chat.element.show();
    await chat.problem(/^Sign in again, or reload this page\. Try again$/);
    expect(codes).to.deep.equal(['user-token-expired']);
    expect(chat.messages).to.deep.equal([]);
    chat.element.userToken = await sign(user);
    await until(() => chat.messages.join() === `assistant: Hi ${user}!`, 'the conversation');
    expect(chat.problems).to.deep.equal([]);
  });

  it('sees a badge for a person’s message if the page sets the token after the chat has loaded', async () => {
    const user = newUser();
    const before = show(await sign(user));
    await before.open();
    await before.ask('Is anybody there?');
    await before.answered(2);
    const { conversationId } = before;
    before.element.hide();
    await until(() => !before.isOpen, 'the panel to close');
    before.element.remove();
    const chat = show();
    await until(() => chat.find('[part="panel"]') !== null, 'the panel to load');
    chat.element.userToken = await sign(user);
    await takeOverAndWrite(conversationId, 'Hanna here. May I help?');
    await until(() => chat.find('[part="badge"]')?.textContent === '2', 'the badge: joined, and a message');
  });

  it('uses a token that the page has renewed while the chat opens with an expired one', async () => {
    const user = newUser();
    const chat = show(await sign(user, expired()));
    const codes: string[] = [];
    chat.element.addEventListener('chat-error', ({ detail }) => codes.push(detail.code));
    const { promise: renewed, resolve: release } = Promise.withResolvers<undefined>();
    let requested = false;
    window.fetch = async (input, init) => {
      const response = await originalFetch(input, init);
      if (/\/conversations$/.test(input as string)) {
        requested = true;
        await renewed;
      }
      return response;
    };
    await until(() => chat.element.shadowRoot !== null, 'the launcher');
    chat.element.show();
    await until(() => requested, 'the request with the expired token');
    chat.element.userToken = await sign(user);
    await new Promise(requestAnimationFrame);
    release(undefined);
    await until(() => chat.messages.join() === `assistant: Hi ${user}!`, 'the conversation');
    expect(codes).to.deep.equal([]);
  });

  it('gets no event of the visitor before, whose answer was in progress', async () => {
    const [before, user] = [newUser(), newUser()];
    const chat = show(await sign(before));
    await chat.open();
    await chat.answered(1);
    const { promise: switched, resolve: release } = Promise.withResolvers<undefined>();
    window.fetch = async (input, init) => {
      if ((input as string).endsWith('/messages')) await switched;
      return originalFetch(input, init);
    };
    await chat.ask('My secret');
    const pending = (): unknown[] => {
      const key = Object.keys(localStorage).find((name) => name.endsWith(before)) as string;
      return (JSON.parse(localStorage.getItem(key) as string) as { pending: unknown[] }).pending;
    };
    await until(() => pending().length === 1, 'the message to be stored');
    chat.element.userToken = await sign(user);
    await until(() => chat.messages.join() === `assistant: Hi ${user}!`, 'the conversation of the next user');
    const texts: string[] = [];
    for (const type of ['chat-sent', 'chat-message'] as const)
      chat.element.addEventListener(type, ({ detail }) => texts.push(detail.text));
    release(undefined);
    await until(() => pending().length === 0, 'the answer to the message');
    expect(texts).to.deep.equal([]);
    await chat.ask('Hello');
    await chat.answered(2);
    expect(texts[0]).to.equal('Hello');
  });

  it('opens no conversation for the visitor before with the token or the data of the next one', async () => {
    const before = show();
    await before.open();
    await before.answered(1);
    const anonymous = before.conversationId;
    const key = conversationKey();
    before.element.remove();
    const { promise: switched, resolve: release } = Promise.withResolvers<undefined>();
    let requested = false;
    const opened: unknown[] = [];
    window.fetch = async (input, init) => {
      const url = input as string;
      if (url.endsWith(`/conversations/${anonymous}`)) {
        requested = true;
        await switched;
        return Response.json({ message: 'Conversation not found' }, { status: 404 });
      }
      if (url.endsWith('/conversations')) opened.push(JSON.parse(init?.body as string));
      return originalFetch(input, init);
    };
    const user = newUser();
    const token = await sign(user);
    const chat = show();
    await until(() => chat.element.shadowRoot !== null, 'the launcher');
    chat.element.context = { page: 'before' };
    chat.element.show();
    await until(() => requested, 'the request for the conversation of before');
    chat.element.userToken = token;
    chat.element.context = { page: 'next' };
    await until(() => chat.messages.join() === `assistant: Hi ${user}!`, 'the conversation of the user');
    release(undefined);
    await until(() => opened.length === 2, 'the new conversation of the visitor before');
    const [next, first] = opened as { user_token?: string; variables?: object }[];
    expect([next?.user_token, first?.user_token]).to.deep.equal([token, undefined]);
    expect([next?.variables, first?.variables]).to.deep.equal([{ page: 'next' }, { page: 'before' }]);
    const own = (): unknown =>
      (JSON.parse(localStorage.getItem(key) ?? '{}') as { conversationId?: string }).conversationId;
    await until(() => own() !== undefined && own() !== anonymous, 'it to be stored');
    expect(chat.messages).to.deep.equal([`assistant: Hi ${user}!`]);
  });

  it('never reads a stored conversation with a malformed token', async () => {
    const chat = show();
    await chat.open();
    await chat.ask('Anonymous');
    await chat.answered(2);
    chat.element.userToken = 'not a token';
    await chat.problem(/^Sign in again/);
    expect(chat.messages).to.deep.equal([]);
  });
});

import { expect } from '@open-wc/testing';
import { violations } from '../support/chat/axe-violations.ts';
import { conversationKey, mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { FakeMicrophone, FakeCallService } from '../support/chat/fake-call-service.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { uncachedWidget } from '../support/browser/fail-script.ts';
import { takeOverAndWrite } from '../support/browser/take-over-and-write.ts';
import { forceMedia } from '../support/chat/force-media.ts';
import { click, engine, press, setViewport } from '../support/browser/page.ts';

const hasCalls = 'RTCPeerConnection' in window;
const transcription = 'conversation.item.input_audio_transcription';
const speech = 'response.output_audio_transcript';

let service: FakeCallService;
let microphone: FakeMicrophone;

// Debian's WebKit has no WebRTC.
(hasCalls ? describe : describe.skip)('a call', () => {
  const replaced: [target: object, name: string, before: PropertyDescriptor | undefined][] = [];
  const replace = (target: object, name: string, value: unknown): void => {
    replaced.push([target, name, Object.getOwnPropertyDescriptor(target, name)]);
    Object.defineProperty(target, name, { value, configurable: true });
  };

  beforeEach(() => {
    service = new FakeCallService();
    microphone = new FakeMicrophone();
  });
  afterEach(async () => {
    for (const [target, name, before] of replaced.splice(0).reverse())
      if (before) Object.defineProperty(target, name, before);
      else Reflect.deleteProperty(target, name);
    await unmountAll();
    await until(() => !microphone.isOn, 'the microphone to be released');
    await microphone.stop();
    await service.stop();
  });

  it('connects with one click, and ends with another', async () => {
    const chat = await open();
    await click(chat.part('call-button'));
    await connected(chat);
    expect(service.requests).to.deep.equal(['GET', 'POST']);
    expect(microphone.requests[0]).to.include({ echoCancellation: true, noiseSuppression: true });
    await click(chat.part('call-end-button'));
    await until(() => chat.find('[part="call"]') === null, 'the bar to disappear');
    await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
    expect(microphone.isOn).to.equal(false);
  });

  for (const [how, leave] of [
    [
      'closed',
      (chat: Chat) => {
        chat.element.hide();
      },
    ],
    [
      'removed',
      (chat: Chat) => {
        chat.element.remove();
      },
    ],
  ] as const)
    it(`does not start if the chat is ${how} while the call loads`, async () => {
      const chat = await open();
      chat.part('call-button').click();
      leave(chat);
      await until(() => microphone.streams.length === 1 && !microphone.isOn, 'the microphone to be released');
      expect(service.requests).to.deep.equal([]);
    });

  it('does not start if the visitor hangs up before allowing the microphone', async () => {
    const { promise, resolve: allow } = Promise.withResolvers<undefined>();
    microphone.prompt = promise;
    const chat = await open();
    await click(chat.part('call-button'));
    await until(() => service.requests.length === 1, 'the options');
    await until(() => state(chat) === 'connecting', 'the bar');
    await click(chat.part('call-end-button'));
    allow(undefined);
    await until(() => microphone.streams.length === 1 && !microphone.isOn, 'the microphone to be released');
    await takeOverAndWrite(chat.conversationId, 'This is Ada. Can I help you?');
    await until(
      () => chat.messages.at(-1) === 'assistant: This is Ada. Can I help you?',
      'the message of a person',
    );
    expect(service.requests).to.deep.equal(['GET']);
  });

  it('does not start if the visitor hangs up while the browser gathers ICE candidates', async () => {
    // This server never responds, so gathering takes until its time limit.
    service.iceServers = [{ urls: 'stun:192.0.2.1' }];
    const gathering = Promise.withResolvers<undefined>();
    const { prototype } = RTCPeerConnection;
    const describe = Object.getOwnPropertyDescriptor(prototype, 'setLocalDescription');
    replace(prototype, 'setLocalDescription', async function (this: RTCPeerConnection) {
      gathering.resolve(undefined);
      await (describe?.value as () => Promise<void>).call(this);
    });
    const chat = await open();
    await click(chat.part('call-button'));
    await gathering.promise;
    await until(() => chat.find('[part="call-end-button"]') !== null, 'the bar');
    chat.part('call-end-button').click();
    await until(() => !microphone.isOn, 'the microphone to be released');
    // The next call begins after the end of the first one's search.
    service.iceServers = [];
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    await click(chat.part('call-button'));
    await connected(chat);
    expect(service.requests).to.deep.equal(['GET', 'GET', 'POST']);
  });

  it('can be started, and the chat closed, if the browser refuses to reach other tabs', async () => {
    replace(window, 'BroadcastChannel', function () {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    const chat = await open();
    await click(chat.part('call-button'));
    await connected(chat);
    await click(chat.part('call-end-button'));
    await click(chat.part('close-button'));
    await until(() => !chat.isOpen, 'the chat to close');
  });

  /** Hangs up while the service has not answered the offer, which it does when the test calls `answer`. */
  const hangUpBeforeAnswer = async () => {
    const { promise, resolve: answer } = Promise.withResolvers<undefined>();
    service.pauses['POST'] = promise;
    const chat = await open();
    await click(chat.part('call-button'));
    await until(() => service.requests.includes('POST'), 'the offer');
    await until(() => chat.find('[part="call-end-button"]') !== null, 'the bar');
    await click(chat.part('call-end-button'));
    return { chat, answer };
  };

  it('waits for the service’s answer before it ends the call', async () => {
    const { chat, answer } = await hangUpBeforeAnswer();
    await until(() => chat.find('[part="call"]') === null, 'the bar to disappear');
    expect(service.requests).to.deep.equal(['GET', 'POST']);
    answer(undefined);
    await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
  });

  it('does not end the next call, which begins before the answer to its own offer', async () => {
    const { chat, answer } = await hangUpBeforeAnswer();
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    await click(chat.part('call-button'));
    await until(() => posts() === 2, 'the next offer');
    answer(undefined);
    await connected(chat);
    await until(() => service.ended.length === 1, 'the end of the first call');
    expect(service.ended).to.deep.equal(['token-1']);
    expect(service.isOpen).to.equal(true);
  });

  it('does not end a call in another tab', async () => {
    service.refusals['POST'] = { status: 409, error: 'A call is in progress' };
    const chat = await open();
    await click(chat.part('call-button'));
    await until(() => label(chat) === 'A call is in progress in another tab.', 'the reason');
    await click(chat.part('call-dismiss-button'));
    await until(() => chat.find('[part="call"]') === null, 'the bar to disappear');
    expect(service.requests).to.deep.equal(['GET', 'POST']);
  });

  it('neither shows nor announces what the service reports after the visitor has hung up', async () => {
    const { promise, resolve: store } = Promise.withResolvers<undefined>();
    service.pauses['DELETE'] = promise;
    const chat = await calling();
    const before = chat.messages;
    await click(chat.part('call-end-button'));
    await until(() => service.requests.at(-1) === 'DELETE', 'the request');
    await until(() => chat.announcement.includes('ended'), 'the end');
    const { announcement } = chat;
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: 'Goodbye' });
    service.send('output_audio_buffer.cleared', { response_id: 'r1' });
    for (let frames = 0; frames < 10; frames++)
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
    expect(chat.messages).to.deep.equal(before);
    expect(chat.announcement).to.equal(announcement);
    store(undefined);
  });

  it('keeps its live transcript while the end of the previous call is stored', async () => {
    const { promise, resolve: store } = Promise.withResolvers<undefined>();
    service.pauses['DELETE'] = promise;
    const chat = await calling();
    const before = chat.messages;
    await click(chat.part('call-end-button'));
    await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    await click(chat.part('call-button'));
    await connected(chat);
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: 'Do you deliver?' });
    await until(() => chat.messages.at(-1) === 'user: Do you deliver?', 'the words');
    store(undefined);
    // Once the widget has handled this click, it has handled the stored end, too.
    await click(chat.part('call-mute-button'));
    await until(() => label(chat) === 'Microphone is off', 'the state');
    expect(chat.messages.at(-1)).to.equal('user: Do you deliver?');
    await click(chat.part('call-end-button'));
    // The fake service has stored nothing.
    await until(() => chat.messages.join() === before.join(), 'the messages that the service has');
    expect(service.requests).to.deep.equal(['GET', 'POST', 'DELETE', 'GET', 'POST', 'DELETE']);
  });

  it('is offered if the assistant offers calls, unless voice is none', async () => {
    const chat = mount();
    await chat.open();
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    expect(chat.find('[part="dictate-button"]')).to.equal(null);
    chat.element.voice = 'none';
    await until(() => chat.find('[part~="call-button"]') === null, 'the button to disappear');
  });

  it('is offered beside the greeting until the visitor writes, and starts with a click there', async () => {
    const chat = await open();
    const offer = () => chat.find('[part="call-offer"]');
    await until(() => offer() !== null, 'the offer');
    expect(await violations(chat)).to.equal('');
    await click(chat.part('call-offer'));
    await until(() => offer() === null, 'the offer to disappear');
    await connected(chat);
    await click(chat.part('call-end-button'));
    await until(() => offer() !== null, 'the offer after a call in which nobody spoke');
    await chat.ask('Do you deliver?');
    await until(() => offer() === null, 'the offer to disappear');
    expect(chat.find('[part="call-button"]')).not.to.equal(null);
  });

  it('keeps the height of its bar when it connects', async () => {
    const chat = await open();
    const answer = Promise.withResolvers<undefined>();
    service.pauses['POST'] = answer.promise;
    await click(chat.part('call-button'));
    const bar = () => chat.find('[part="call"]');
    await until(() => bar() !== null, 'the bar');
    const before = bar()?.clientHeight;
    answer.resolve(undefined);
    await connected(chat);
    await until(() => chat.find('[role="timer"]') !== null, 'the time');
    expect(bar()?.clientHeight).to.equal(before);
  });

  it('is offered despite an invalid value of voice, which warns', async () => {
    const warnings: string[] = [];
    replace(console, 'warn', (text: string) => warnings.push(text));
    const chat = mount({ voice: 'on' });
    await chat.open();
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    expect(warnings.join()).to.contain('voice="on"');
  });

  it('is replaced by dictation if the assistant offers no calls', async () => {
    service.offersCalls = false;
    const chat = mount({ voice: 'call' });
    await chat.open();
    await until(() => chat.find('[part="dictate-button"]') !== null, 'dictation');
    await until(() => chat.find('[part~="call-button"]') === null, 'the button to disappear');
  });

  it('shows and announces that it is recorded', async () => {
    const notice = 'This call is recorded.';
    service.isRecorded = true;
    const chat = await calling();
    expect(noticeIn(chat)).to.equal(notice);
    await speak(chat);
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => chat.announcement.includes(notice), 'the announcement');
    await click(chat.part('call-end-button'));
    service.isRecorded = false;
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    await click(chat.part('call-button'));
    await connected(chat);
    expect(noticeIn(chat)).to.equal(undefined);
  });

  it('shows that it is recorded if its owner turned that on while the visitor allowed the microphone', async () => {
    const { promise, resolve: allow } = Promise.withResolvers<undefined>();
    microphone.prompt = promise;
    const chat = await open();
    await click(chat.part('call-button'));
    await until(() => service.requests.length === 1, 'the options');
    service.isRecorded = true;
    allow(undefined);
    await connected(chat);
    expect(noticeIn(chat)).to.equal('This call is recorded.');
    await until(() => chat.announcement === 'Connecting…', 'the announcement');
    await speak(chat);
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => chat.announcement === 'This call is recorded. You can speak now.', 'the announcement');
  });

  it('announces that the visitor can speak after the greeting', async () => {
    const chat = await calling();
    expect(chat.announcement).to.equal('Connecting…');
    await speak(chat);
    expect(chat.announcement).to.equal('Connecting…');
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => chat.announcement.trim() === 'You can speak now.', 'the announcement');
  });

  it('announces after the greeting that the microphone is off, if it was muted before', async () => {
    service.isRecorded = true;
    const chat = await calling();
    await click(chat.part('call-mute-button'));
    await until(() => chat.announcement === 'Microphone is off', 'the announcement');
    await speak(chat);
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => chat.announcement === 'This call is recorded. Microphone is off', 'the announcement');
    await click(chat.part('call-mute-button'));
    await until(() => chat.announcement === 'Listening…', 'the announcement');
  });

  it('announces after the greeting that the visitor can speak, if the microphone was muted for a moment', async () => {
    const chat = await calling();
    await click(chat.part('call-mute-button'));
    await speak(chat);
    await click(chat.part('call-mute-button'));
    await until(() => chat.part('call-mute-button').title === 'Mute microphone', 'the state');
    expect(chat.announcement).to.equal('Microphone is off');
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => chat.announcement === 'You can speak now.', 'the announcement');
  });

  it('announces immediately that the visitor can speak if there is no greeting', async () => {
    const chat = await open();
    await chat.ask('Hello');
    await chat.answered(2);
    await click(chat.part('call-button'));
    await connected(chat);
    await until(() => chat.announcement.trim() === 'You can speak now.', 'the announcement');
  });

  it('announces nothing while the assistant speaks', async () => {
    const chat = await calling();
    await speak(chat);
    const before = chat.announcement;
    await click(chat.part('call-mute-button'));
    await until(() => chat.part('call-mute-button').title === 'Unmute microphone', 'the state');
    expect(chat.announcement).to.equal(before);
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => chat.announcement === 'Microphone is off', 'the announcement');
  });

  it('shows whether the assistant listens, thinks or speaks', async () => {
    const chat = await calling();
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u1' });
    await until(() => label(chat) === 'Thinking…', 'thinking');
    service.send('output_audio_buffer.started', { response_id: 'r1' });
    await until(() => label(chat) === 'Speaking…', 'speaking');
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => label(chat) === 'Listening…', 'listening');
    expect(await violations(chat)).to.equal('');
  });

  it('shows that the assistant speaks while the visitor makes a sound that does not interrupt it', async () => {
    const chat = await calling();
    await speak(chat);
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u1' });
    service.send(`${speech}.done`, { item_id: 'a1', transcript: 'We deliver on Sundays, too.' });
    await until(() => chat.messages.at(-1) === 'assistant: We deliver on Sundays, too.', 'the answer');
    expect(state(chat)).to.equal('speaking');
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => label(chat) === 'Listening…', 'listening');
  });

  it('shows both sides as they speak, and an interrupted answer as far as it was played', async () => {
    const chat = await calling();
    const before = chat.messages.length;
    const spoken = (): string[] => chat.messages.slice(before);
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    await until(() => spoken().join() === 'user: …', 'the visitor’s turn');
    service.send(`${transcription}.provisional`, { item_id: 'u1', text: 'Do you' });
    await until(() => spoken().join() === 'user: Do you …', 'provisional words');
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: 'Do you deliver?' });
    service.send(`${speech}.delta`, { item_id: 'a1', delta: 'Yes, we' });
    service.send(`${speech}.delta`, { item_id: 'a1', delta: ' deliver on all days.' });
    await until(() => spoken().at(-1) === 'assistant: Yes, we deliver on all days.', 'the answer');
    service.send(`${speech}.done`, { item_id: 'a1', transcript: 'Yes, we deliver' });
    await until(() => spoken().at(-1) === 'assistant: Yes, we deliver', 'the heard part');
    expect(spoken()).to.deep.equal(['user: Do you deliver?', 'assistant: Yes, we deliver']);
    expect(chat.announcement).not.to.include('deliver');
  });

  it('shows words that may still change differently from final ones, in every color scheme', async () => {
    const chat = await calling();
    const bubble = (): HTMLElement => chat.part('message-user');
    const look = (): string[] => {
      const { borderTopStyle, backgroundColor, color } = getComputedStyle(bubble());
      return [borderTopStyle, backgroundColor, color];
    };
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send(`${transcription}.provisional`, { item_id: 'u1', text: 'Do you' });
    await until(() => chat.messages.at(-1) === 'user: Do you …', 'provisional words');
    const { width, height } = bubble().getBoundingClientRect();
    const [border, background] = look();
    // Forced colors have no backgrounds, but borders.
    expect(border).to.equal('dashed');
    expect(background).to.equal('rgba(0, 0, 0, 0)');
    expect(await violations(chat)).to.equal('');
    chat.element.theme = 'dark';
    await until(() => chat.find('.root')?.dataset['theme'] === 'dark', 'the dark theme');
    expect(await violations(chat)).to.equal('');
    // As long as the provisional words, so that only a change of style could change the size.
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: 'Do you …' });
    await until(() => !bubble().matches('.provisional > *'), 'the final words');
    expect(look()[0]).to.equal('none');
    expect(look()[1]).not.to.equal(background);
    expect(bubble().getBoundingClientRect()).to.include({ width, height });
  });

  it('has the final words of the visitor once, and announces none', async () => {
    const chat = await calling();
    const status = chat.find('.root > [role="status"]') as HTMLElement;
    const announced: string[] = [];
    new MutationObserver(() => announced.push(status.textContent)).observe(status, { childList: true });
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send(`${transcription}.provisional`, { item_id: 'u1', text: 'Do you' });
    await until(() => chat.messages.at(-1) === 'user: Do you …', 'provisional words');
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: 'Do you deliver?' });
    await until(() => chat.messages.at(-1) === 'user: Do you deliver?', 'the final words');
    expect(chat.part('message-log').textContent.split('Do you deliver?').length, 'copies').to.equal(2);
    expect(chat.part('message-log').ariaLive).to.equal('off');
    expect(announced.join()).not.to.include('Do you');
  });

  it('does not repeat the greeting that the assistant speaks', async () => {
    const chat = await calling();
    const before = chat.messages;
    const [greeting = ''] = before.map((text) => text.replace(/^assistant: /, ''));
    service.send(`${speech}.delta`, { item_id: 'a1', delta: greeting.slice(0, 5) });
    service.send(`${speech}.done`, { item_id: 'a1', transcript: greeting });
    service.send(`${speech}.done`, { item_id: 'a2', transcript: 'Are you still there?' });
    await until(() => chat.messages.length > before.length, 'the next words');
    expect(chat.messages).to.deep.equal([...before, 'assistant: Are you still there?']);
  });

  for (const [what, words, shown] of [
    ['speaks', 'Do you deliver?', ['user: Do you deliver?']],
    ['makes a sound', '', []],
  ] as const)
    it(`does not repeat the greeting if the visitor ${what} meanwhile, nor after the call`, async () => {
      const chat = await calling();
      const before = chat.messages;
      const [greeting = ''] = before.map((text) => text.replace(/^assistant: /, ''));
      const next = { item_id: 'a2', transcript: 'Are you still there?' };
      service.send(`${speech}.delta`, { item_id: 'a1', delta: greeting.slice(0, 5) });
      service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
      await until(() => chat.messages.at(-1) === 'user: …', 'the visitor’s turn');
      service.send(`${speech}.delta`, { item_id: 'a1', delta: greeting.slice(5) });
      service.send(`${transcription}.completed`, { item_id: 'u1', transcript: words });
      service.send(`${speech}.done`, { item_id: 'a1', transcript: greeting });
      service.send(`${speech}.done`, next);
      await until(() => chat.messages.at(-1) === `assistant: ${next.transcript}`, 'the next words');
      expect(chat.messages).to.deep.equal([...before, ...shown, `assistant: ${next.transcript}`]);
      await click(chat.part('call-end-button'));
      // The fake service has stored nothing.
      await until(
        () => chat.messages.join('\n') === before.join('\n'),
        () => `the messages that the service has instead of ${chat.messages.join('\n')}`,
      );
    });

  it('shows words of the assistant that only begin like its greeting', async () => {
    const chat = await calling();
    const before = chat.messages;
    const [greeting = ''] = before.map((text) => text.replace(/^assistant: /, ''));
    service.send(`${speech}.done`, { item_id: 'a1', transcript: greeting });
    service.send(`${speech}.delta`, { item_id: 'a2', delta: greeting.slice(0, 5) });
    await until(() => chat.messages.length > before.length, 'the next words');
    service.send(`${speech}.done`, { item_id: 'a2', transcript: greeting });
    service.send(`${speech}.done`, { item_id: 'a3', transcript: 'Goodbye.' });
    await until(() => chat.messages.at(-1) === 'assistant: Goodbye.', 'the last words');
    expect(chat.messages).to.deep.equal([...before, `assistant: ${greeting}`, 'assistant: Goodbye.']);
  });

  it('removes speech that was not understood, and an answer that was not played', async () => {
    const chat = await calling();
    const before = chat.messages;
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    await until(() => chat.messages.at(-1) === 'user: …', 'the visitor’s turn');
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u1' });
    await until(() => label(chat) === 'Thinking…', 'thinking');
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: '' });
    await until(() => label(chat) === 'Listening…', 'listening');
    service.send(`${speech}.done`, { item_id: 'a1', transcript: '' });
    await until(() => chat.messages.at(-1) !== 'user: …', 'its end');
    expect(chat.messages).to.deep.equal(before);
  });

  it('shows that the assistant thinks until its response, also if the visitor makes a sound meanwhile', async () => {
    const chat = await calling();
    service.send('response.created', { response: { id: 'r1' } });
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u1' });
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: '' });
    service.send('input_audio_buffer.speech_started', { item_id: 'u2' });
    await until(() => chat.messages.at(-1) === 'user: …', 'the visitor’s turn');
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u2' });
    service.send(`${transcription}.completed`, { item_id: 'u2', transcript: '' });
    await until(() => chat.messages.at(-1) !== 'user: …', 'its end');
    expect(state(chat)).to.equal('thinking');
    service.send('response.done', { response: { id: 'r1' } });
    await until(() => label(chat) === 'Listening…', 'listening');
  });

  it('removes unfinished speech when the connection is lost', async () => {
    const chat = await calling();
    const before = chat.messages;
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send(`${transcription}.completed`, { item_id: 'u1', transcript: 'Do you deliver?' });
    service.send('input_audio_buffer.speech_started', { item_id: 'u2' });
    service.send(`${transcription}.provisional`, { item_id: 'u2', text: 'On Sundays' });
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u2' });
    service.send('input_audio_buffer.speech_started', { item_id: 'u3' });
    await until(() => chat.messages.at(-1) === 'user: …', 'the visitor’s turn');
    service.lose();
    // The length alone could be that of a moment before the connection is lost.
    const left = [...before, 'user: Do you deliver?'].join('\n');
    await until(() => chat.messages.join('\n') === left, 'their end');
    await connected(chat);
  });

  it('shows its duration until it ends', async () => {
    let now = Date.now();
    replace(Date, 'now', () => now);
    const chat = await calling();
    expect(chat.find('[role="timer"]')?.innerText).to.equal('0:00');
    now += 65_500;
    await until(() => chat.find('[role="timer"]')?.innerText === '1:05', 'the time');
    service.send('call.ended', { reason: 'assistant' });
    await until(() => state(chat) === 'over', 'the end');
    expect(chat.find('[role="timer"]')).to.equal(null);
  });

  describe('that has ended', () => {
    const line = (chat: Chat): string | undefined =>
      chat.messages.find((message) => message.startsWith('system: '));

    it('is a line with its duration in the conversation', async () => {
      const chat = await calling();
      service.durations.push(84);
      await click(chat.part('call-end-button'));
      await until(() => line(chat) === 'system: Call ended · 1:24', 'the line');
      expect(await violations(chat)).to.equal('');
    });

    it('is a line in the visitor’s language, also from right to left', async () => {
      const chat = await open({ lang: 'ar' });
      await click(chat.part('call-button'));
      await connected(chat);
      service.durations.push(84);
      await click(chat.part('call-end-button'));
      await until(
        () => line(chat) === 'system: انتهت المكالمة · 1:24',
        () => `the line; it is: ${line(chat)}`,
      );
    });

    it('is neither counted as a message nor announced twice', async () => {
      const chat = await calling();
      await click(chat.part('close-button'));
      const status = chat.find('.root > [role="status"]') as HTMLElement;
      const announced: string[] = [];
      new MutationObserver(() => announced.push(status.textContent)).observe(status, { childList: true });
      service.durations.push(84);
      service.send('call.ended', { reason: 'assistant' });
      await until(() => announced.includes('The call has ended.'), 'the announcement');
      await until(() => chat.find('[part="call-dismiss-button"]') !== null, 'the bar');
      await until(() => line(chat) !== undefined, 'the line');
      await click(chat.part('call-dismiss-button'));
      expect(chat.find('[part="badge"]')).to.equal(null);
      await click(chat.launcher);
      expect(line(chat)).to.equal('system: Call ended · 1:24');
      expect(chat.part('message-log').innerText).not.to.include('New messages');
      expect(announced.join()).not.to.include('1:24');
    });
  });

  it('shows the volume of the visitor while the microphone is on', async function () {
    // Other engines provide no audio in tests.
    if (engine !== 'chromium') this.skip();
    const chat = await calling();
    await microphone.turnOn();
    const level = (): number => Number(chat.find('.call-ring')?.style.getPropertyValue('--_level'));
    await until(() => level() > 0.5, 'the level of a loud tone');
    await click(chat.part('call-mute-button'));
    await until(() => level() === 0, 'silence');
  });

  for (const [what, prepare] of [
    [
      'there is no audio device',
      () => {
        replace(window, 'AudioContext', function () {
          throw new DOMException('', 'NotSupportedError');
        });
      },
    ],
    [
      'the browser cannot process its sample rate',
      () => {
        replace(AudioContext.prototype, 'createMediaStreamSource', () => {
          throw new DOMException('', 'NotSupportedError');
        });
      },
    ],
  ] as const)
    it(`connects, and replaces its microphone, although the volume cannot be measured: ${what}`, async () => {
      const chat = await open();
      prepare();
      await click(chat.part('call-button'));
      await connected(chat);
      microphone.unplug();
      await until(() => /^Now using/.test(noticeIn(chat) ?? ''), 'another microphone');
    });

  it('mutes and unmutes the microphone with the mute button', async () => {
    const chat = await calling();
    const track = microphone.streams[0]?.getAudioTracks()[0];
    await click(chat.part('call-mute-button'));
    expect(track?.enabled).to.equal(false);
    await until(() => label(chat) === 'Microphone is off', 'the state');
    await click(chat.part('call-mute-button'));
    expect(track?.enabled).to.equal(true);
  });

  it('sends a typed message over the data channel', async () => {
    const chat = await calling();
    await chat.ask('Do you deliver?');
    await until(() => service.received.length === 2, 'the events');
    expect(service.received.map(({ type }) => type)).to.deep.equal([
      'conversation.item.create',
      'response.create',
    ]);
    await until(() => chat.messages.at(-1) === 'user: Do you deliver?', 'the message');
  });

  it('puts a typed message back into the composer if the service has not received it', async () => {
    const chat = await calling();
    await chat.ask('Do you deliver?');
    await click(chat.part('call-end-button'));
    await until(() => chat.input.value === 'Do you deliver?', 'the draft');
    expect(chat.messages).not.to.include('user: Do you deliver?');
  });

  it('puts several typed messages back in their order, and stores them with the draft', async () => {
    const chat = await calling();
    await chat.ask('Do you deliver?');
    await chat.ask('On Sundays, too?');
    await click(chat.part('call-end-button'));
    const draft = 'Do you deliver?\n\nOn Sundays, too?';
    await until(
      () => chat.input.value === draft,
      () => `the draft; it is: ${chat.input.value}`,
    );
    expect(storedDraft()).to.equal(draft);
  });

  it('puts a typed message without an answer back if the network is down when the call ends', async () => {
    const chat = await calling();
    await chat.ask('Do you deliver?');
    await until(() => service.received.length === 2, 'the events');
    service.send(`${speech}.done`, { item_id: 'a1', transcript: 'Yes, we deliver.' });
    await until(() => chat.messages.at(-1) === 'assistant: Yes, we deliver.', 'the answer');
    await chat.ask('On Sundays, too?');
    await until(() => service.received.length === 4, 'the events of the second message');
    replace(AbortSignal, 'timeout', () => AbortSignal.abort());
    replace(window, 'fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    service.lose();
    await until(() => label(chat).includes('The connection was lost.'), 'the reason');
    await until(
      () => chat.input.value === 'On Sundays, too?',
      () => `the draft; it is: ${chat.input.value}`,
    );
    expect(storedDraft()).to.equal('On Sundays, too?');
    expect(chat.messages.slice(-2)).to.deep.equal(['user: Do you deliver?', 'assistant: Yes, we deliver.']);
  });

  it('puts a typed message back into the composer if the service refuses it, and says why', async () => {
    const chat = await calling();
    await chat.ask('Do you deliver?');
    await until(() => chat.messages.at(-1) === 'user: Do you deliver?', 'the message');
    service.send('error', { error: { message: 'Too many messages. Please wait a moment.' } });
    await until(() => chat.input.value === 'Do you deliver?', 'the draft');
    expect(chat.messages).not.to.include('user: Do you deliver?');
    expect(noticeIn(chat)).to.equal('Not sent. Too many messages. Please wait a moment.');
    await click(chat.part('call-end-button'));
    await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
    expect(chat.input.value).to.equal('Do you deliver?');
  });

  it('stops the assistant on the first Escape, and closes the chat but not the call on the second', async () => {
    const chat = await calling();
    await speak(chat);
    chat.input.focus();
    // One that cancels the composition of an input method does not count.
    chat.input.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true }),
    );
    await press('Escape');
    await until(() => service.received.length === 2, 'the events');
    expect(service.received.map(({ type }) => type)).to.deep.equal([
      'response.cancel',
      'output_audio_buffer.clear',
    ]);
    expect(chat.element.open).to.equal(true);
    service.send('output_audio_buffer.cleared', { response_id: 'r1' });
    await until(() => state(chat) === 'listening', 'listening');
    await press('Escape');
    expect(chat.element.open).to.equal(false);
    expect(state(chat)).to.equal('listening');
    expect(microphone.isOn).to.equal(true);
  });

  describe('in a closed chat', () => {
    const closed = async (): Promise<Chat> => {
      const chat = await calling();
      await click(chat.part('close-button'));
      expect(chat.element.open).to.equal(false);
      return chat;
    };

    it('continues, and only its bar stays visible', async () => {
      const chat = await closed();
      expect(chat.part('call').checkVisibility()).to.equal(true);
      for (const part of ['message-log', 'composer', 'close-button'])
        expect(chat.part(part).checkVisibility(), part).to.equal(false);
      await speak(chat);
      await until(() => chat.find('[part="call-stop-button"]') !== null, 'the button that stops it');
      expect(await violations(chat)).to.equal('');
      await click(chat.launcher);
      await until(() => chat.part('composer').checkVisibility(), 'the rest of the chat');
      expect(state(chat)).to.equal('speaking');
    });

    it('ends with a click, and its bar disappears', async () => {
      const chat = await closed();
      await click(chat.part('call-end-button'));
      await until(() => !chat.isOpen, 'the bar to disappear');
      await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
      await until(() => focused(chat) === 'launcher', 'the focus on the launcher');
      expect(microphone.isOn).to.equal(false);
    });

    it('shows why it has ended until the visitor dismisses it', async () => {
      const chat = await closed();
      service.send('call.ended', { reason: 'time-limit' });
      await until(() => label(chat).includes('time limit'), 'the reason');
      expect(chat.part('call').checkVisibility()).to.equal(true);
      await click(chat.part('call-dismiss-button'));
      await until(() => !chat.isOpen, 'the bar to disappear');
    });
  });

  it('shows the stop button only while the assistant speaks', async () => {
    const chat = await calling();
    const stop = () => chat.find('[part="call-stop-button"]');
    expect(stop()).to.equal(null);
    await speak(chat);
    await until(() => stop() !== null, 'the button');
    expect(stop()?.title).to.equal('Stop');
    service.send('output_audio_buffer.stopped', { response_id: 'r1' });
    await until(() => stop() === null, 'the button to disappear');
  });

  for (const key of ['Enter', 'Escape'] as const)
    it(`keeps the focus on the stop button after ${key}, until the visitor moves it`, async () => {
      const chat = await calling();
      await speak(chat);
      await until(() => chat.find('[part="call-stop-button"]') !== null, 'the button');
      chat.part('call-stop-button').focus();
      await press(key);
      await until(() => service.received.length === 2, 'the events');
      expect(service.received.map(({ type }) => type)).to.deep.equal([
        'response.cancel',
        'output_audio_buffer.clear',
      ]);
      expect(await violations(chat)).to.equal('');
      service.send('output_audio_buffer.cleared', { response_id: 'r1' });
      await until(() => chat.part('call-stop-button').ariaDisabled === 'true', 'the disabled button');
      expect(await violations(chat)).to.equal('');
      // Another Enter mutes nothing, and stops nothing.
      await press('Enter');
      expect(focused(chat)).to.equal('call-stop-button');
      expect(label(chat)).to.equal('Listening…');
      expect(service.received.length).to.equal(2);
      await speak(chat);
      await until(() => chat.part('call-stop-button').ariaDisabled === 'false', 'the enabled button');
      await press('Enter');
      await until(() => service.received.length === 4, 'the events of the second answer');
      service.send('output_audio_buffer.cleared', { response_id: 'r1' });
      await press('Tab');
      await until(() => chat.find('[part="call-stop-button"]') === null, 'the button to disappear');
      expect(focused(chat)).to.equal('call-mute-button');
    });

  it('leaves the focus on the launcher if Escape closes the chat from its bar', async () => {
    const chat = await calling();
    const mute = chat.part('call-mute-button');
    const request = window.requestAnimationFrame.bind(window);
    const frames: FrameRequestCallback[] = [];
    mute.focus();
    // The bar changes in the same frame.
    replace(window, 'requestAnimationFrame', (callback: FrameRequestCallback) => frames.push(callback));
    service.send('input_audio_buffer.speech_started', { item_id: 'u1' });
    service.send('input_audio_buffer.speech_stopped', { item_id: 'u1' });
    await until(() => frames.length > 1, 'the changes');
    await press('Escape');
    await until(() => focused(chat) === 'launcher', 'the focus on the launcher');
    replace(window, 'requestAnimationFrame', request);
    for (const run of frames) run(performance.now());
    expect(focused(chat)).to.equal('launcher');
    expect(chat.element.open).to.equal(false);
    expect(chat.part('call').checkVisibility()).to.equal(true);
  });

  it('moves the focus from its bar to the button that dismisses it when the service ends it', async () => {
    const chat = await calling();
    chat.part('call-mute-button').focus();
    service.send('call.ended', { reason: 'assistant' });
    await until(() => focused(chat) === 'call-dismiss-button', 'the focus on the button');
    await press('Enter');
    await until(() => focused(chat) === 'call-button', 'the focus on the button in the header');
    expect(service.offers.length, 'calls').to.equal(1);
  });

  it('plays no audio of an interrupted answer', async () => {
    const chat = await calling();
    service.send('output_audio_buffer.started', { response_id: 'r1' });
    service.send('output_audio_buffer.cleared', { response_id: 'r1' });
    await until(() => service.players[0]?.muted === true, 'silence');
    service.send('output_audio_buffer.started', { response_id: 'r2' });
    await until(() => service.players[0]?.muted === false, 'the next answer');
    await until(() => state(chat) === 'speaking', 'speaking');
  });

  it('plays the next answer even if the event that announces it is late', async () => {
    const chat = await calling();
    service.send('output_audio_buffer.started', { response_id: 'r1' });
    service.send('output_audio_buffer.cleared', { response_id: 'r1' });
    await until(() => service.players[0]?.muted === true, 'silence');
    await until(() => service.players[0]?.muted === false, 'sound');
    expect(state(chat)).to.equal('listening');
  });

  it('reconnects after the connection was lost', async () => {
    const chat = await calling();
    service.lose();
    await until(() => service.offers.length === 2, 'the second offer');
    expect(service.offers[1]?.call).to.equal('token-1');
    await connected(chat);
  });

  it('retries after an invalid SDP answer', async () => {
    const chat = await calling();
    service.answers.push('not SDP');
    service.lose();
    await until(() => service.offers.length === 3, 'the third offer');
    await connected(chat);
  });

  for (const [what, refusal] of [
    ['the service is stopping', { status: 503, error: 'Voice is not available: the service is stopping.' }],
    ['a proxy does not reach the service', { status: 502, error: '' }],
    ['all lines are busy', { status: 429, error: 'Call limit reached. All lines are busy.' }],
    ['there were too many requests', { status: 429, error: 'Too Many Attempts.' }],
    ['a proxy answers with a page', '<!doctype html><title>One moment, please</title>'],
  ] as const)
    it(`tries again to reconnect while ${what}`, async () => {
      const chat = await calling();
      service.refusals['POST'] = refusal;
      service.lose();
      await until(() => posts() === 2, 'the refused attempt');
      service.refusals['POST'] = undefined;
      await until(() => service.offers.length === 2, 'the next attempt');
      await connected(chat);
    });

  it('ends at the service, too, if the visitor hangs up while the service is stopping', async () => {
    const chat = await calling();
    service.refusals['POST'] = { status: 503, error: 'Voice is not available: the service is stopping.' };
    service.lose();
    await until(() => posts() === 2, 'the refused attempt');
    await click(chat.part('call-end-button'));
    await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
  });

  it('ends at once if it has ended at the service', async () => {
    const chat = await calling();
    service.refusals['POST'] = { status: 409, error: 'The call has ended' };
    service.lose();
    await until(() => label(chat).includes('The connection was lost.'), 'the reason');
    await until(() => service.requests.at(-1) === 'DELETE', 'the end of only this call');
    expect(service.requests).to.deep.equal(['GET', 'POST', 'POST', 'DELETE']);
    expect(service.ended).to.deep.equal(['token-1']);
  });

  it('makes no further attempt to reconnect after the visitor hangs up', async () => {
    const chat = await calling();
    service.answers.push('not SDP');
    service.lose();
    await until(() => service.offers.length === 2, 'the second offer');
    await click(chat.part('call-end-button'));
    await until(() => chat.find('[part="call"]') === null, 'the bar to disappear');
    await click(chat.part('call-button'));
    await connected(chat);
    // Longer than the pause between two attempts.
    await until(() => chat.part('call').innerText.includes('0:02'), 'the timer of the next call');
    expect(service.offers.length).to.equal(3);
  });

  it('waits for the connection as long as the service does, and then ends', async () => {
    const timers: [run: () => void, delay: number][] = [];
    // An answer without candidates: the connection does not open.
    const { prototype } = RTCPeerConnection;
    const setDescription = Object.getOwnPropertyDescriptor(prototype, 'setRemoteDescription')?.value as (
      this: RTCPeerConnection,
      description: RTCSessionDescriptionInit,
    ) => Promise<void>;
    replace(
      prototype,
      'setRemoteDescription',
      function (this: RTCPeerConnection, answer: RTCSessionDescriptionInit) {
        const sdp = answer.sdp?.replace(/^a=candidate.*\r\n/gm, '') ?? '';
        return setDescription.call(this, { type: answer.type, sdp });
      },
    );
    const schedule = window.setTimeout.bind(window);
    const chat = await open();
    replace(window, 'setTimeout', (run: () => void, delay = 0) => {
      timers.push([run, delay]);
      return schedule(run, delay);
    });
    await click(chat.part('call-button'));
    await until(() => timers.some(([, delay]) => delay === 15_000), 'the time limit of the service');
    for (const [run, delay] of [...timers]) if (delay >= 5000 && delay < 15_000) run();
    expect(state(chat)).to.equal('connecting');
    for (const [run, delay] of [...timers]) if (delay === 15_000) run();
    await until(() => label(chat).includes('The call failed.'), `the end; it is: ${label(chat)}`);
  });

  it('ends if the browser refuses the ICE servers of the service', async () => {
    service.iceServers = [{ urls: 'turn://turn.example' }];
    const chat = await open();
    await click(chat.part('call-button'));
    await until(() => label(chat).includes('The call failed.'), `the end; it is: ${label(chat)}`);
  });

  it('keeps the new connection after the time-out for reconnecting', async () => {
    const limit = new AbortController();
    replace(AbortSignal, 'timeout', () => limit.signal);
    const chat = await calling();
    service.lose();
    await until(() => service.offers.length === 2, 'the second offer');
    await connected(chat);
    limit.abort();
    service.send('output_audio_buffer.started', { response_id: 'r1' });
    await until(() => state(chat) === 'speaking', 'an event on the line');
  });

  it('ends if it cannot reconnect in time', async () => {
    replace(AbortSignal, 'timeout', () => AbortSignal.abort());
    const chat = await calling();
    service.lose();
    await until(() => label(chat).includes('The connection was lost.'), 'the reason');
    expect(microphone.isOn).to.equal(false);
  });

  it('replaces a disconnected microphone, and shows a notice', async () => {
    const chat = await calling();
    microphone.unplug();
    await until(() => microphone.streams.length === 2, 'another microphone');
    await until(() => /^Now using/.test(noticeIn(chat) ?? ''), 'the notice');
  });

  it('requests another microphone once, even if the browser reports the loss twice', async () => {
    const { promise, resolve: allow } = Promise.withResolvers<undefined>();
    const chat = await calling();
    microphone.prompt = promise;
    microphone.unplug();
    microphone.change();
    microphone.error = new DOMException('', 'NotAllowedError');
    replace(navigator.permissions, 'query', () => Promise.resolve({ state: 'denied' }));
    allow(undefined);
    await until(() => noticeIn(chat) === 'The microphone is blocked. Allow it in the browser.', 'the reason');
    expect(microphone.requests.length).to.equal(2);
  });

  describe('when the permission for the microphone changes', () => {
    const permission = Object.assign(new EventTarget(), { state: 'granted' });
    const blocked = async (): Promise<Chat> => {
      replace(navigator.permissions, 'query', () => Promise.resolve(permission));
      const chat = await calling();
      permission.state = 'denied';
      microphone.error = new DOMException('', 'NotAllowedError');
      microphone.unplug();
      await until(
        () => noticeIn(chat) === 'The microphone is blocked. Allow it in the browser.',
        'the reason',
      );
      permission.state = 'granted';
      microphone.error = undefined;
      return chat;
    };

    it('uses it again when the visitor allows it', async () => {
      await blocked();
      permission.dispatchEvent(new Event('change'));
      await until(() => microphone.isOn, 'the microphone');
    });

    it('requests it once if the visitor allows it at first', async () => {
      const { promise, resolve: allow } = Promise.withResolvers<undefined>();
      permission.state = 'prompt';
      replace(navigator.permissions, 'query', () => Promise.resolve(permission));
      microphone.prompt = promise;
      const chat = await open();
      await click(chat.part('call-button'));
      await until(() => state(chat) === 'connecting', 'the bar');
      permission.state = 'granted';
      permission.dispatchEvent(new Event('change'));
      allow(undefined);
      await connected(chat);
      expect(microphone.requests.length).to.equal(1);
    });

    it('requests it again when the visitor unmutes', async () => {
      const chat = await blocked();
      await click(chat.part('call-mute-button'));
      await click(chat.part('call-mute-button'));
      await until(() => microphone.isOn, 'the microphone');
    });
  });

  it('replaces a microphone that ends although no device has changed', async function () {
    // Firefox delivers no event to tracks that a script has made.
    if (engine === 'firefox') this.skip();
    replace(microphone, 'change', () => undefined);
    await calling();
    microphone.unplug();
    await until(() => microphone.streams.length === 2, 'another microphone');
  });

  describe('with several devices', () => {
    const device = (kind: MediaDeviceKind, deviceId: string, label = '') => ({ kind, deviceId, label });
    beforeEach(() => {
      microphone.devices = [
        device('audioinput', 'default', 'Built-in'),
        device('audioinput', 'headset', 'Headset'),
        device('audioinput', 'webcam', 'Webcam'),
        device('audiooutput', 'default', 'Built-in'),
        device('audiooutput', 'headset', 'Headset'),
      ];
    });

    const pickers = (chat: Chat): HTMLSelectElement[] =>
      chat.findAll('.call-devices select') as HTMLSelectElement[];
    const choose = (picker: HTMLSelectElement | undefined, value: string): void => {
      if (!picker) throw new Error('There is no such picker.');
      picker.value = value;
      picker.dispatchEvent(new Event('change'));
    };
    const choosing = async (): Promise<Chat> => {
      const chat = await calling();
      await click(chat.part('call-devices-button'));
      await until(() => pickers(chat).length === 2, 'the pickers');
      return chat;
    };

    it('lets the visitor choose a microphone, which is used from then on', async () => {
      const chat = await choosing();
      const [picker] = pickers(chat);
      expect(picker?.value).to.equal('default');
      choose(picker, 'headset');
      await until(() => microphone.inUse.join() === 'headset', 'the microphone');
      expect(microphone.requests.at(-1)).to.deep.include({ deviceId: { exact: 'headset' } });
      await until(() => service.heard?.readyState === 'live', 'its sound');
      await until(() => picker?.value === 'headset', 'the picker');
      expect(await violations(chat)).to.equal('');
      await click(chat.part('call-devices-button'));
      await until(() => pickers(chat).length === 0, 'the pickers to disappear');
    });

    it('hides its devices on Escape, and returns the focus to their button', async () => {
      const chat = await choosing();
      await speak(chat);
      pickers(chat)[0]?.focus();
      await press('Escape');
      await until(() => pickers(chat).length === 0, 'the pickers to disappear');
      expect(focused(chat)).to.equal('call-devices-button');
      expect(chat.element.open).to.equal(true);
      expect(service.received, 'events').to.deep.equal([]);
      await press('Enter');
      await until(() => pickers(chat).length === 2, 'the pickers');
      await press('Escape');
      await until(() => pickers(chat).length === 0, 'the pickers to disappear');
      expect(focused(chat)).to.equal('call-devices-button');
      await press('Escape');
      await until(() => service.received.length === 2, 'the end of the speech');
    });

    it('keeps every control within reach on a page that is zoomed in far', async () => {
      await setViewport(320, 256);
      try {
        const panel = (await choosing()).part('panel');
        expect(panel.scrollHeight).to.be.above(panel.clientHeight);
        expect(getComputedStyle(panel).overflowY).to.equal('auto');
      } finally {
        await setViewport(1000, 800);
      }
    });

    it('uses a microphone that is chosen while it reconnects', async () => {
      const chat = await choosing();
      const sent: unknown[] = [];
      const { prototype } = RTCRtpSender;
      const replaceTrack = Object.getOwnPropertyDescriptor(prototype, 'replaceTrack')?.value as (
        this: RTCRtpSender,
        track: MediaStreamTrack,
      ) => Promise<void>;
      replace(prototype, 'replaceTrack', function (this: RTCRtpSender, track: MediaStreamTrack) {
        sent.push(track);
        return replaceTrack.call(this, track);
      });
      const { promise, resolve: answer } = Promise.withResolvers<undefined>();
      service.pauses['POST'] = promise;
      service.lose();
      await until(() => service.requests.filter((method) => method === 'POST').length === 2, 'the offer');
      choose(pickers(chat)[0], 'headset');
      await until(() => microphone.inUse.join() === 'headset', 'the microphone');
      answer(undefined);
      await connected(chat);
      expect(sent.at(-1) === microphone.streams.at(-1)?.getAudioTracks()[0]).to.equal(true);
    });

    it('lets the visitor choose a speaker, and uses the default one when it is disconnected', async () => {
      const chat = await choosing();
      choose(pickers(chat)[1], 'headset');
      const [player] = service.players;
      await until(() => player?.sinkId === 'headset', 'the speaker');
      microphone.devices = microphone.devices.slice(0, -1);
      microphone.change();
      await until(() => player?.sinkId === '', 'the default speaker');
      await until(() => pickers(chat)[1]?.value === 'default', 'the picker');
      // The microphone was not lost.
      expect(microphone.streams.length).to.equal(1);
    });

    it('labels a device without a name as the default', async () => {
      microphone.devices = [device('audioinput', ''), device('audiooutput', '')];
      const chat = await choosing();
      expect(pickers(chat).map(({ selectedOptions: [option] }) => option?.label)).to.deep.equal([
        'Default',
        'Default',
      ]);
      microphone.unplug();
      await until(() => noticeIn(chat) === 'Now using: Default', 'the notice');
    });

    it('uses the microphone that was chosen last, even if its request resolves first', async () => {
      const { promise, resolve: allow } = Promise.withResolvers<undefined>();
      const chat = await choosing();
      microphone.prompt = promise;
      choose(pickers(chat)[0], 'headset');
      await until(() => microphone.requests.length === 2, 'the first request');
      microphone.prompt = undefined;
      choose(pickers(chat)[0], 'webcam');
      // Answers to the second request come first.
      await Promise.resolve();
      allow(undefined);
      await until(() => microphone.streams.length === 3, 'both microphones');
      await until(
        () => microphone.inUse.join() === 'webcam',
        `the last one; it is ${microphone.inUse.join()}`,
      );
      await until(() => pickers(chat)[0]?.value === 'webcam', 'the picker');
    });

    it('keeps the microphone if another one cannot be used', async () => {
      const chat = await choosing();
      microphone.error = new DOMException('', 'NotReadableError');
      choose(pickers(chat)[0], 'webcam');
      await until(() => microphone.requests.length === 2, 'the request');
      await until(() => pickers(chat)[0]?.value === 'default', 'the picker');
      expect(microphone.inUse).to.deep.equal(['default']);
    });

    it('hides the notice about a replaced microphone when the visitor chooses another', async () => {
      const chat = await choosing();
      microphone.unplug();
      await until(() => /^Now using/.test(noticeIn(chat) ?? ''), 'the notice');
      choose(pickers(chat)[0], 'webcam');
      await until(() => microphone.inUse.join() === 'webcam', 'the microphone');
      await until(() => !noticeIn(chat), 'the notice to disappear');
    });
  });

  it('leaves room for the name of the assistant on a narrow phone', async () => {
    await setViewport(320, 568);
    const chat = await open();
    const restore = forceMedia(chat, '(pointer: coarse)');
    try {
      const name = chat.find('#heading') as HTMLElement;
      await until(
        () => name.innerText === 'Nordkamm assistant',
        () => `the name of the assistant instead of "${name.innerText}"`,
      );
      const lineHeight = parseFloat(getComputedStyle(name).lineHeight);
      await until(() => Math.round(name.scrollHeight / lineHeight) === 2, 'a line for each word');
      await click(chat.part('call-button'));
      await connected(chat);
      expect(Math.round(name.scrollHeight / lineHeight)).to.be.at.most(2);
    } finally {
      restore();
      await setViewport(1000, 800);
    }
  });

  it('breaks no word of its state on a narrow page with large text', async () => {
    await setViewport(320, 568);
    const chat = await open();
    chat.element.style.setProperty('--voice-assistant-chat-font-size', '30px');
    try {
      await click(chat.part('call-button'));
      await connected(chat);
      const word = chat.find('.call-state b') as HTMLElement;
      const lineHeight = parseFloat(getComputedStyle(word).lineHeight);
      await until(
        () => Math.round(word.getBoundingClientRect().height / lineHeight) === 1,
        () => `one line for "${word.innerText}"`,
      );
    } finally {
      await setViewport(1000, 800);
    }
  });

  for (const button of ['call-button', 'call-offer'])
    it(`moves the focus from ${button} into the bar, and then to the button in the header`, async () => {
      const chat = await open();
      await until(() => chat.find(`[part="${button}"]`) !== null, 'the button');
      chat.part(button).focus();
      await press('Enter');
      await until(() => focused(chat) === 'call-mute-button', 'the focus in the bar');
      await connected(chat);
      chat.part('call-end-button').focus();
      await press('Enter');
      await until(() => focused(chat) === 'call-button', 'the focus on the button');
    });

  for (const reason of ['time-limit', 'balance', 'silence', 'assistant'] as const)
    it(`shows why the service has ended it: ${reason}`, async () => {
      const chat = await calling();
      service.send('call.ended', { reason });
      const text = {
        'time-limit': 'The call has reached its time limit.',
        balance: 'The owner of this site needs to top up',
        silence: 'nobody spoke',
        assistant: 'The call has ended.',
      }[reason];
      await until(() => label(chat).includes(text), 'the reason');
      expect(microphone.isOn).to.equal(false);
      await click(chat.part('call-dismiss-button'));
      await until(() => chat.find('[part="call"]') === null, 'the bar to disappear');
    });

  it('that has failed is ended at the service, which may still wait for a tool and would refuse the next call', async () => {
    const chat = await open();
    await click(chat.part('call-button'));
    await connected(chat);
    service.send('call.ended', { reason: 'failed' });
    await until(() => service.requests.includes('DELETE'), 'the end at the service');
  });

  it('stays visible, and can be ended, if the site asks for consent meanwhile; no other can be started', async () => {
    const chat = await calling();
    const button = document.createElement('button');
    Object.assign(button, { slot: 'consent', textContent: 'I agree' }).dataset['consent'] = '';
    chat.element.append(button);
    // Content of slots is noticed with the next change of the element.
    chat.element.subheading = 'By the sea';
    await until(() => button.checkVisibility(), 'the question');
    expect(chat.part('message-log').checkVisibility()).to.equal(false);
    expect(service.isOpen).to.equal(true);
    expect(chat.part('call-end-button').checkVisibility()).to.equal(true);
    await click(chat.part('call-end-button'));
    await until(() => chat.find('[part="call"]') === null, 'the bar to disappear');
    await until(() => service.requests.at(-1) === 'DELETE', 'the end at the service');
    expect(microphone.isOn).to.equal(false);
    expect(chat.find('[part~="call-button"]')).to.equal(null);
    await click(button);
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
  });

  it('plays no sound for answers that are spoken while another tab is in front', async () => {
    const chat = await open({ sound: '' });
    await click(chat.part('call-button'));
    await connected(chat);
    let notes = 0;
    replace(OscillatorNode.prototype, 'start', () => notes++);
    replace(document, 'hidden', true);
    service.send(`${speech}.done`, { item_id: 'a1', transcript: 'Yes, we deliver.' });
    await until(() => chat.messages.includes('assistant: Yes, we deliver.'), 'the answer');
    expect(notes).to.equal(0);
  });

  it('ends at a human handoff, and shows the person’s message', async () => {
    const chat = await calling();
    await takeOverAndWrite(chat.conversationId, 'This is Ada.');
    service.send('call.ended', { reason: 'stopped' });
    await until(() => chat.find('[part="person"]') !== null, 'the notice');
    expect(chat.messages.at(-1)).to.equal('assistant: This is Ada.');
  });

  it('ends at a human handoff while the chat is closed, and a badge counts the messages', async () => {
    const chat = await calling();
    const { conversationId } = chat;
    await press('Escape');
    await until(() => !chat.find('[part="composer"]')?.checkVisibility(), 'the chat to close');
    await takeOverAndWrite(conversationId, 'This is Ada.');
    service.send('call.ended', { reason: 'stopped' });
    await until(() => state(chat) === 'over', 'the end');
    await until(() => chat.find('[part="badge"]')?.textContent === '2', 'the badge: joined, and a message');
    await new Promise(requestAnimationFrame);
    expect(chat.find('[part="badge"]')?.textContent).to.equal('2');
  });

  it('keeps the focus in the bar of a closed chat when it ends', async () => {
    const chat = await calling();
    await press('Escape');
    await until(() => !chat.find('[part="composer"]')?.checkVisibility(), 'the chat to close');
    chat.part('call-mute-button').focus();
    service.send('call.ended', { reason: 'time_limit' });
    await until(() => state(chat) === 'over', 'the end');
    await until(() => focused(chat) === 'call-dismiss-button', 'the focus on the button that dismisses it');
  });

  it('announces its end before a message that arrives with it', async () => {
    const chat = await calling();
    await takeOverAndWrite(chat.conversationId, 'This is Ada.');
    service.send('call.ended', { reason: 'stopped' });
    const announced = (): string => chat.find('.root > [role="status"]')?.textContent ?? '';
    await until(() => announced().includes('This is Ada.'), 'the message');
    expect(announced()).to.match(/^The call has ended\..*This is Ada\./);
  });

  describe('without a microphone', () => {
    const permission = (state: string) => (): void => {
      replace(navigator.permissions, 'query', () => Promise.resolve({ state }));
    };
    const nothing = (): void => undefined;
    for (const [reason, prepare, [name, message], text] of [
      ['denied', permission('denied'), ['NotAllowedError', ''], 'The microphone is blocked.'],
      ['dismissed', nothing, ['NotAllowedError', 'Permission dismissed'], 'The call needs your microphone.'],
      [
        'dismissed in Firefox',
        permission('prompt'),
        ['NotAllowedError', ''],
        'The call needs your microphone.',
      ],
      [
        'denied, in a browser that does not say so',
        () => {
          replace(navigator, 'permissions', undefined);
        },
        ['NotAllowedError', ''],
        'The microphone is blocked.',
      ],
      ['no device', nothing, ['NotFoundError', ''], 'No microphone was found.'],
      ['a chosen device is gone', nothing, ['OverconstrainedError', ''], 'No microphone was found.'],
      ['device in use', nothing, ['NotReadableError', ''], 'The microphone cannot be used.'],
      ['device does not start', nothing, ['AbortError', ''], 'The microphone cannot be used.'],
      [
        'Permissions-Policy',
        () => {
          replace(document, 'featurePolicy', { allowsFeature: () => false });
        },
        ['NotAllowedError', 'Permission denied'],
        'This page does not allow the microphone.',
      ],
      [
        'insecure page',
        () => {
          replace(window, 'isSecureContext', false);
        },
        ['NotAllowedError', ''],
        'Calls need a secure connection',
      ],
      [
        'insecure page, where browsers offer no devices',
        () => {
          replace(window, 'isSecureContext', false);
          replace(navigator, 'mediaDevices', undefined);
        },
        ['NotAllowedError', ''],
        'Calls need a secure connection',
      ],
    ] as const)
      it(`shows why: ${reason}`, async () => {
        prepare();
        microphone.error = new DOMException(message, name);
        const chat = await open();
        await click(chat.part('call-button'));
        await until(() => label(chat).includes(text), `the reason; it is: ${label(chat)}`);
        await click(chat.part('call-dismiss-button'));
        await click(chat.part('call-button'));
        await until(() => label(chat).includes(text), `the reason again; it is: ${label(chat)}`);
        expect(service.offers).to.deep.equal([]);
        expect(await violations(chat)).to.equal('');
      });
  });

  for (const [status, error, text] of [
    [503, 'Voice is not available: no speech', 'Calls are not available right now.'],
    [409, 'A call is in progress', 'A call is in progress in another tab.'],
    [429, 'Call limit reached. 3 calls at once', 'The limit for calls has been reached.'],
    [402, 'Insufficient balance. Please top up your account.', 'The owner of this site needs to top up'],
  ] as const)
    it(`explains the service’s refusal “${error}”`, async () => {
      service.refusals['POST'] = { status, error };
      const chat = await open();
      await click(chat.part('call-button'));
      await until(() => label(chat).includes(text), `the reason; it is: ${label(chat)}`);
      await until(() => !microphone.isOn, 'the microphone to be released');
    });

  for (const [what, answer, text] of [
    ['the assistant does not exist', [404, { error: 'Assistant not found' }], 'Calls are not available'],
    ['there were too many requests', [429, { error: 'Too Many Attempts.' }], 'Too many messages'],
    ['the answer is invalid', [200, { status: true }], 'Calls are not available'],
    ['the service cannot be reached', undefined, 'The connection was lost.'],
  ] as const)
    it(`shows why the conversation does not open: ${what}`, async () => {
      const real = window.fetch.bind(window);
      replace(window, 'fetch', (input: RequestInfo | URL, init?: RequestInit) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
        if (!pathname.endsWith('/api/conversations')) return real(input, init);
        if (!answer) return Promise.reject(new TypeError('Failed to fetch'));
        const [status, body] = answer;
        return Promise.resolve(Response.json(body, { status }));
      });
      const chat = mount({ voice: 'call' });
      await chat.open();
      await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
      await click(chat.part('call-button'));
      await until(() => state(chat) === 'over', 'the end');
      expect(label(chat)).to.include(text);
    });

  it('announces in the visitor’s language that it is over, also if its texts have not loaded yet', async () => {
    microphone.error = new DOMException('Permission dismissed', 'NotAllowedError');
    const chat = await open({ lang: 'sv' });
    const status = chat.find('.root > [role="status"]') as HTMLElement;
    const announced: string[] = [];
    new MutationObserver(() => announced.push(status.textContent)).observe(status, { childList: true });
    await click(chat.part('call-button'));
    await until(() => state(chat) === 'over' && /mikrofon/i.test(announced.at(-1) ?? ''), 'the end');
    expect(announced.join()).not.to.match(/needs your/);
  });

  it('is translated into the visitor’s language', async () => {
    const chat = await open({ lang: 'de' });
    await click(chat.part('call-button'));
    await connected(chat);
    expect(chat.part('call-end-button').title).to.equal('Auflegen');
  });
});

describe('a call in another tab', () => {
  let other: OtherPage | undefined;
  afterEach(async () => {
    other?.close();
    await unmountAll();
    await service.stop();
  });

  it('leaves no bar if it ends before the call module has loaded', async () => {
    service = new FakeCallService();
    other = await openPage((page) => {
      page.fetch = globalThis.fetch;
    }, uncachedWidget());
    const { chat, window: page } = other;
    chat.element.show();
    await chat.answered(1);
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    const tabs = new BroadcastChannel('voice-assistant-chat:call');
    for (const isOnCall of [true, false]) tabs.postMessage([chat.conversationId, isOnCall]);
    tabs.close();
    const isLoaded = ({ name }: PerformanceEntry): boolean => /\/chunks\/voice-/.test(name);
    await until(() => page.performance.getEntriesByType('resource').some(isLoaded), 'the part of the chat');
    // A whole answer takes longer than the module takes to run.
    await chat.ask('Hello');
    await chat.answered(2);
    expect(chat.findAll('[part="call"]').length, 'bars').to.equal(0);
    expect(chat.findAll('[part~="call-button"]').length, 'buttons').to.equal(1);
  });
});

describe('the messages of a call in another tab', () => {
  afterEach(async () => {
    await unmountAll();
    await service.stop();
  });

  it('look provisional until they are final, and its end is a line with its duration', async () => {
    service = new FakeCallService();
    const chat = await open();
    const tabs = new BroadcastChannel('voice-assistant-chat:call');
    const report = (isOnCall: boolean, ...more: unknown[]): void => {
      tabs.postMessage([chat.conversationId, isOnCall, ...more]);
    };
    const say = (text: string, isProvisional: boolean): void => {
      const message = { key: 'call-1', role: 'user', text, status: 'sent', functionCalls: [], isProvisional };
      report(true, { type: 'streamed-elsewhere', messages: [message] });
    };
    const bubble = (): HTMLElement | null => chat.find('[part~="message-user"]');
    say('Do you …', true);
    await until(() => bubble()?.matches('.provisional > *') === true, 'provisional words');
    expect(getComputedStyle(bubble() as HTMLElement).borderTopStyle).to.equal('dashed');
    say('Do you deliver?', false);
    await until(() => bubble()?.matches('.provisional > *') === false, 'the final words');
    expect(getComputedStyle(bubble() as HTMLElement).borderTopStyle).to.equal('none');
    service.durations.push(84);
    report(false);
    await until(() => chat.messages.at(-1) === 'system: Call ended · 1:24', 'the line');
    tabs.close();
  });
});

(hasCalls ? describe.skip : describe)('a call in a browser without WebRTC', () => {
  it('is replaced by dictation, and a click shows why', async () => {
    const stub = new FakeCallService();
    const chat = await open();
    await until(() => chat.find('[part="dictate-button"]') !== null, 'dictation');
    await click(chat.part('call-button'));
    await until(() => label(chat) === 'This browser does not support this feature.', 'the reason');
    await unmountAll();
    await stub.stop();
  });
});

async function open(attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
  const chat = mount({ voice: 'call', ...attributes });
  await chat.open();
  await chat.answered(1);
  await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
  return chat;
}

async function calling(): Promise<Chat> {
  const chat = await open();
  await click(chat.part('call-button'));
  await connected(chat);
  return chat;
}

const storedDraft = (): unknown =>
  (JSON.parse(localStorage.getItem(conversationKey()) ?? '{}') as { draft?: string }).draft;

const state = (chat: Chat): string | undefined => chat.find('[part="call"]')?.dataset['state'];

/** The visible state, or the reason why the call has ended. */
const label = (chat: Chat): string =>
  (chat.find('.call-state b') ?? chat.find('.call-state'))?.innerText.trim() ?? '';

const focused = (chat: Chat): string | null | undefined =>
  chat.element.shadowRoot?.activeElement?.getAttribute('part');

const noticeIn = (chat: Chat): string | undefined => chat.find('.call-state small:not([role])')?.innerText;

/** The number of attempts to connect. */
const posts = (): number => service.requests.filter((method) => method === 'POST').length;

/** The assistant speaks. */
async function speak(chat: Chat): Promise<void> {
  service.send('output_audio_buffer.started', { response_id: 'r1' });
  await until(() => state(chat) === 'speaking', 'speaking');
}

async function connected(chat: Chat): Promise<void> {
  await until(() => state(chat) === 'listening', 'the call to connect');
  await until(
    () => service.isOpen,
    () => `the fake service, whose connection is ${service.state}, in a chat that says “${label(chat)}”`,
  );
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { atEnd } from '../support/service/service.ts';
import { until } from '../support/until.ts';

/** Answers to the requests of tools, in order. */
const toolAnswers: unknown[] = [];
const shop = await startLoopbackServer(() => toolAnswers.shift());
atEnd(() => shop.close());
const { model, owner, place, connect, ended, lines } = await startPhoneService({
  ALLOW_PRIVATE_ADDRESSES: shop.address,
});

/** Creates a tool that books a table, and returns its id. */
const createTool = async () => {
  const tool = { name: 'book', description: 'Books a table.', method: 'POST', endpoint: `${shop.url}/book` };
  return (await owner.create('tools', tool)).id;
};

const endCall = { tools: [{ type: 'end_call', description: 'When the conversation is over.' }] };

describe('the assistant', () => {
  it('starts to speak before the model has finished its answer', async () => {
    const rest = Promise.withResolvers<string>();
    model.behave({ chunks: ['We open at nine. ', rest.promise] });
    const { line, over } = await connect();
    assert.equal(await line.hears(), 'Hello!');
    line.says('When do you open?');
    await line.isHearing('We open at nine.');
    rest.resolve('Every day.');
    assert.equal(await line.hears(), 'We open at nine. Every day.');
    line.hangsUp();
    await over;
  });

  it('cancels the model’s answer when the customer interrupts, and stores only the heard part', async () => {
    const never = Promise.withResolvers<string>();
    model.behave(({ messages }) =>
      messages.at(-1)?.content === 'And where?'
        ? { chunks: ['In Berlin.'] }
        : { chunks: ['We open at nine on weekdays ', 'and at ten on ', never.promise] },
    );
    const { line, over, id } = await connect();
    await line.hears();
    line.interrupts({ after: 'We open at nine', saying: 'And where?' });
    line.says('When do you open?');
    assert.equal(await line.hears(), 'We open at nine');
    await eventually('the model to be stopped', () => Promise.resolve(model.cancelled === 1 || undefined));
    assert.equal(await line.hears(), 'In Berlin.');
    never.resolve('Sundays.');
    line.hangsUp();
    await over;
    const messages = model.requests.at(-1)?.messages.map(({ role, content }) => `${role}: ${content}`);
    assert.deepEqual(messages?.slice(1), [
      'assistant: Hello!',
      'user: When do you open?',
      'assistant: We open at nine',
      'user: And where?',
    ]);
    const record = await ended(id);
    assert.equal(
      record['transcript'],
      'AI: Hello!\nCustomer: When do you open?\nAI: We open at nine\nCustomer: And where?\nAI: In Berlin.',
    );
    assert.equal(record['status'], 'completed');
  });

  it('answers a customer who interrupts the initial message', async () => {
    model.behave({});
    const { line, over, id } = await connect({
      initial_message: 'Hello, this is Kim, I call about the sale.',
    });
    line.interrupts({ after: 'Hello, this is Kim', saying: 'Who?' });
    await line.hears();
    assert.equal(await line.hears(), 'You said: Who?');
    line.hangsUp();
    await over;
    assert.match(String((await ended(id))['transcript']), /^AI: Hello, this is Kim\nCustomer: Who\?/);
  });

  it('hangs up after its last sentence has been spoken', async () => {
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Good', 'bye!'] });
    const { line, over, id } = await connect(endCall);
    line.says('That is all.');
    await over;
    assert.deepEqual(line.actions, ['say Hello!', 'say Goodbye!', 'hang up']);
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
  });

  it('answers instead of hanging up if the customer interrupts its goodbye', async () => {
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Goodbye and thank you!'] });
    const { line, over, id } = await connect(endCall);
    await line.hears();
    line.interrupts({ after: 'Goodbye', saying: 'Wait!' });
    line.says('That is all.');
    await line.hears();
    assert.equal(await line.hears(), 'Goodbye and thank you!');
    await over;
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
  });

  it('stores its function calls if the customer interrupts before its first word', async () => {
    model.behave(({ messages }) =>
      messages.at(-1)?.content === 'Wait!'
        ? { chunks: ['Yes?'] }
        : { calls: [{ name: 'end_call', arguments: {} }], chunks: ['Goodbye!'] },
    );
    const { line, over, id } = await connect(endCall);
    await line.hears();
    line.interrupts({ after: '', saying: 'Wait!' });
    line.says('That is all.');
    assert.deepEqual([await line.hears(), await line.hears()], ['', 'Yes?']);
    line.hangsUp();
    await over;
    const stored = (await lines(id)).map(({ content, functionCalls = [] }) => [
      content,
      ...functionCalls.map(({ name }) => name),
    ]);
    assert.deepEqual(stored, [['Hello!'], ['That is all.'], ['', 'end_call'], ['Wait!'], ['Yes?']]);
    const { transcript } = await ended(id);
    assert.equal(transcript, 'AI: Hello!\nCustomer: That is all.\nCustomer: Wait!\nAI: Yes?');
    const requested = model.requests.at(-1)?.messages.map(({ role }) => role);
    assert.deepEqual(requested?.slice(1), ['assistant', 'user', 'assistant', 'tool', 'user']);
  });

  it('lets a tool finish whose call the customer interrupts, so that the model does not call it again', async () => {
    model.behave(({ messages }) =>
      messages.at(-1)?.content === 'Okay.'
        ? { chunks: ['It is booked.'] }
        : { before: 'One moment.', calls: [{ name: 'book', arguments: {} }], chunks: ['Done.'] },
    );
    const booked = Promise.withResolvers<unknown>();
    toolAnswers.push(booked.promise);
    const { line, over, id } = await connect({ tool_ids: [await createTool()] });
    await line.hears();
    line.says('Book me a table.');
    await until(() => shop.requests.length === 1);
    line.talksOver('Okay.');
    assert.equal(await line.hears(), 'One moment.');
    booked.resolve({ table: 7 });
    assert.equal(await line.hears(), 'It is booked.');
    line.hangsUp();
    await over;
    assert.equal(shop.requests.length, 1);
    const calls = (await lines(id)).map(({ content, functionCalls = [] }) => [content, ...functionCalls]);
    assert.deepEqual(calls.slice(2), [
      ['One moment.'],
      ['', { name: 'book', arguments: {}, result: { table: 7 } }],
      ['Okay.'],
      ['It is booked.'],
    ]);
    const asked = model.requests.at(-1)?.messages.map(({ role, content }) => `${role}: ${content}`);
    assert.deepEqual(asked?.slice(-4), [
      ...['assistant: One moment.', 'assistant: ', 'tool: {"table":7}', 'user: Okay.'],
    ]);
  });

  it('stores the call of a tool that ran when the connection was lost, for the next connection', async () => {
    model.behave(({ messages }) =>
      messages.at(-1)?.content === 'Book me a table.'
        ? { before: 'One moment.', calls: [{ name: 'book', arguments: {} }], chunks: ['Done.'] }
        : { chunks: ['It is booked.'] },
    );
    const booked = Promise.withResolvers<unknown>();
    toolAnswers.push(booked.promise);
    const { call, line, over, id } = await connect({ tool_ids: [await createTool()] });
    await line.hears();
    const { length } = shop.requests;
    line.says('Book me a table.');
    await until(() => shop.requests.length > length);
    line.lose();
    await eventually('the heard text to be stored', async () =>
      (await lines(id)).find(({ content }) => content === 'One moment.'),
    );
    booked.resolve({ table: 7 });
    await over;
    await call.disconnect('lost');
    const again = call.connect();
    assert.equal(await again.line.hears(), 'It is booked.');
    again.line.hangsUp();
    await again.over;
    const calls = (await lines(id)).flatMap(({ functionCalls = [] }) => functionCalls);
    assert.deepEqual(calls, [{ name: 'book', arguments: {}, result: { table: 7 } }]);
  });

  it('leaves the status ended_by_customer if the customer hangs up before its first word', async () => {
    model.behave({ calls: [{ name: 'dtmf_input', arguments: { digits: '1' } }], chunks: ['I pressed 1.'] });
    const { line, over, id } = await connect({
      tools: [{ type: 'dtmf_input', description: 'Presses keys.' }],
    });
    await line.hears();
    line.interrupts({ after: '', hangingUp: true });
    line.says('Press 1.');
    await over;
    assert.equal((await ended(id))['status'], 'ended_by_customer');
  });

  it('asks a customer who could not be understood to repeat it', async () => {
    model.behave({ chunks: ['Pardon?'] });
    const { line, over } = await connect();
    await line.hears();
    line.says('…');
    assert.equal(await line.hears(), 'Pardon?');
    assert.match(model.requests.at(-1)?.messages[0]?.content ?? '', /could not be understood[^]* repeat it/);
    line.hangsUp();
    await over;
  });

  it('stores the response time of each answer', async () => {
    const first = Promise.withResolvers<string>();
    model.behave({ chunks: [first.promise] });
    const { line, over, id } = await connect();
    await line.hears();
    const received = model.requests.length + 1;
    line.says('When do you open?', { understoodAfter: 0.75 });
    await model.received(received);
    line.now += 1.25;
    first.resolve('At nine.');
    await line.hears();
    line.hangsUp();
    await over;
    assert.deepEqual(
      (await lines(id)).map(({ role, responseTime }) => [role, responseTime]),
      [
        ['assistant', undefined],
        ['user', undefined],
        ['assistant', 2],
      ],
    );
    const [greeting, question] = await lines(id);
    assert.ok(greeting && question);
    assert.deepEqual([question.at.toFixed(3), question.seconds], [greeting.seconds.toFixed(3), 1]);
  });

  describe('with fillers', () => {
    const fillers = {
      fillers: true,
      filler_config: {
        neutral: ['One moment.', 'Just a second.'],
        negative: ['I see.'],
        positive: [],
        question: ['Let me see.'],
      },
    };

    it('says a filler that matches the customer’s words if the answer is slow, and stores it once', async () => {
      const { line, over, id } = await connect(fillers);
      await line.hears();
      for (const [said, filler] of [
        ['When do you open?', 'Let me see.'],
        ['That does not work, it is broken.', 'I see.'],
        // There are no positive fillers, so a neutral one is used.
        ['Great, thanks.', 'Just a second.'],
        ['My number is 12.', 'One moment.'],
      ] as const) {
        const late = Promise.withResolvers<string>();
        model.behave({ chunks: [late.promise] });
        line.says(said);
        await line.isHearing(filler);
        late.resolve('We open at nine.');
        assert.equal(await line.hears(), `${filler} We open at nine.`);
      }
      line.hangsUp();
      await over;
      const said = String((await ended(id))['transcript']);
      assert.match(said, /\nCustomer: When do you open\?\nAI: Let me see\. We open at nine\.\nCustomer:/);
      assert.equal(said.match(/Let me see\./g)?.length, 1);
    });

    it('says no filler if the answer is immediate', async () => {
      model.behave({ chunks: ['At nine.'] });
      const { line, over } = await connect(fillers);
      await line.hears();
      line.says('When do you open?');
      assert.equal(await line.hears(), 'At nine.');
      line.hangsUp();
      await over;
    });

    it('stops a filler when the customer continues, and answers only the last question', async () => {
      const never = Promise.withResolvers<string>();
      model.behave(({ messages }) =>
        messages.at(-1)?.content === 'And where?' ? { chunks: ['In Berlin.'] } : { chunks: [never.promise] },
      );
      const { line, over } = await connect(fillers);
      await line.hears();
      line.interrupts({ after: 'Let me', saying: 'And where?' });
      line.says('When do you open?');
      assert.equal(await line.hears(), 'Let me');
      assert.equal(await line.hears(), 'In Berlin.');
      never.resolve('At nine.');
      line.hangsUp();
      await over;
    });
  });

  it('limits endpoint_sensitivity to 1', async () => {
    const { plan } = await place({ endpoint_sensitivity: 5, interrupt_sensitivity: 0.4 });
    assert.deepEqual([plan.speech.endpointSensitivity, plan.speech.interruptSensitivity], [1, 0.4]);
  });

  it('passes its other languages to the carrier', async () => {
    const { json } = await owner.get('assistants/languages');
    const idOf = (code: string) =>
      (json as unknown as { id: number; iso_2: string }[]).find(({ iso_2 }) => iso_2 === code)?.id;
    const { plan } = await place({ secondary_language_ids: [idOf('de'), idOf('ar'), idOf('en')] });
    assert.equal(plan.speech.language, 'en');
    assert.deepEqual(plan.speech.otherLanguages?.toSorted(), ['ar', 'de']);
  });

  it('passes the gender and accent of its voice to the carrier', async () => {
    const { json } = await owner.get('assistants/voices?language_id=1&gender=male&mode=pipeline');
    const [man] = json as unknown as { id: number; name: string; accent: string }[];
    assert(man);
    const { plan } = await place({ voice_id: man.id });
    const { name, accent } = man;
    assert.deepEqual(plan.speech.voice, { provider: 'standard-speech', name, gender: 'male', accent });
  });

  it('passes its ambient sound to the carrier, unless it is off', async () => {
    const heard = async (fields: Record<string, unknown>) => (await place(fields)).plan.speech.ambientSound;
    assert.deepEqual(await heard({ ambient_sound: 'cafe', ambient_sound_volume: 0.3 }), {
      name: 'cafe',
      volume: 0.3,
    });
    assert.equal(await heard({ ambient_sound: 'off' }), undefined);
  });

  it('fails and refunds the call if the model fails in the middle of a sentence', async () => {
    model.behave({ chunks: ['We open'], ending: 'cut' });
    const { line, over, id } = await connect();
    await line.hears();
    await line.waits(20);
    line.says('When do you open?');
    await over;
    const record = await ended(id);
    assert.deepEqual([record['status'], record['total_cost']], ['failed', 0]);
    assert.equal(record['transcript'], 'AI: Hello!\nCustomer: When do you open?\nAI: We open');
    assert.equal(record['duration'], Math.ceil(line.now));
    assert.ok(line.actions.includes('hang up'));
  });
});

describe('a customer who speaks for a long time', () => {
  it('is neither interrupted nor disconnected for silence', async () => {
    model.behave({});
    const { line, over, id } = await connect({ max_silence_duration: 10, reengagement_interval: 7 });
    await line.hears();
    line.speaks();
    for (let seconds = 0; seconds < 30; seconds += 5) await line.waits(5);
    line.says('My order has not arrived.');
    assert.equal(await line.hears(), 'You said: My order has not arrived.');
    line.hangsUp();
    await over;
    assert.equal((await ended(id))['status'], 'completed');
  });

  it('is re-engaged when a pause reaches reengagement_interval', async () => {
    model.behave({ chunks: ['Are you still there?'] });
    const { line, over } = await connect({ max_silence_duration: 40, reengagement_interval: 7 });
    await line.hears();
    line.speaks();
    await line.waits(6);
    line.pauses();
    await line.waits(6);
    await line.waits(0.5);
    assert.deepEqual(line.actions, ['say Hello!']);
    await line.waits(0.5);
    assert.equal(await line.hears(), 'Are you still there?');
    line.hangsUp();
    await over;
  });
});

describe('DTMF keys', () => {
  it('reach the assistant as one message if they follow each other', async () => {
    model.behave({});
    const { line, over, id } = await connect();
    await line.hears();
    line.presses('12');
    await line.waits(3);
    assert.equal(await line.hears(), 'You said: [pressed 12]');
    line.hangsUp();
    await over;
    assert.match(String((await ended(id))['transcript']), /\nCustomer: \[pressed 12\]\n/);
  });

  it('reach the assistant immediately after #', async () => {
    model.behave({});
    const { line, over } = await connect();
    await line.hears();
    line.presses('0815#');
    assert.equal(await line.hears(), 'You said: [pressed 0815#]');
    line.hangsUp();
    await over;
  });

  it('reach the assistant before the customer’s next words', async () => {
    model.behave({});
    const { line, over } = await connect();
    await line.hears();
    line.presses('7');
    line.says('Seven.');
    assert.equal(await line.hears(), 'You said: [pressed 7]');
    assert.equal(await line.hears(), 'You said: Seven.');
    line.hangsUp();
    await over;
  });

  it('do not extend the call beyond its maximum duration', async () => {
    model.behave({});
    const { line, over, id } = await connect({ max_duration: 60, max_silence_duration: 120 });
    await line.hears();
    await line.waits(50);
    while (!line.hasEnded) {
      assert(line.now < 63, 'The call continues.');
      line.presses('1');
      await Promise.race([over, line.waits(1.9)]);
    }
    await over;
    assert.equal((await ended(id))['end_reason'], 'max-duration');
  });

  it('are not interrupted by a question whether the customer is still there', async () => {
    model.behave({});
    const { line, over } = await connect({ reengagement_interval: 7 });
    await line.hears();
    await line.waits(6);
    line.presses('1');
    await line.waits(1.5);
    line.presses('2#');
    assert.equal(await line.hears(), 'You said: [pressed 12#]');
    line.hangsUp();
    await over;
  });

  it('are sent by the assistant with dtmf_input', async () => {
    model.behave({
      calls: [{ name: 'dtmf_input', arguments: { digits: '1w2#' } }],
      chunks: ['One moment.'],
    });
    const { line, over } = await connect({ tools: [{ type: 'dtmf_input', description: 'For menus.' }] });
    line.says('Press 1 for sales.');
    await line.does('digits 1w2#');
    assert.deepEqual(line.actions.slice(0, 3), ['say Hello!', 'say One moment.', 'digits 1w2#']);
    line.hangsUp();
    await over;
  });
});

describe('machine detection during the call', () => {
  it('leaves the voicemail message immediately, and ends the call', async () => {
    const { line, over, id, call } = await connect({
      initial_message: 'Hello, this is Kim. How are you today?',
      voice_mail_message: 'Please call back.',
      end_call_on_voicemail: true,
    });
    await line.hears();
    await call.report({ type: 'identified', by: 'machine' });
    assert.equal(await line.hears(), 'Please call back.');
    await over;
    const record = await ended(id);
    assert.deepEqual([record['status'], record['answered_by']], ['completed', 'machine']);
  });

  it('interrupts a reply that the model is still writing', async () => {
    const never = Promise.withResolvers<string>();
    model.behave({ chunks: ['I call because ', never.promise] });
    const { line, over, id, call } = await connect({
      voice_mail_message: 'Please call back.',
      end_call_on_voicemail: true,
    });
    await line.hears();
    line.says('Nobody can take your call right now.');
    await line.isHearing('I call because');
    await call.report({ type: 'identified', by: 'machine' });
    assert.equal(await line.hears(), 'I call because ');
    assert.equal(await line.hears(), 'Please call back.');
    never.resolve('');
    await over;
    assert.equal((await ended(id))['status'], 'completed');
  });

  it('cancels the end of the call if the machine is found during the goodbye', async () => {
    const never = Promise.withResolvers<string>();
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Goodbye and ', never.promise] });
    const { line, over, id, call } = await connect({
      ...endCall,
      voice_mail_message: 'Please call back.',
      end_call_on_voicemail: true,
    });
    await line.hears();
    line.says('Nobody can take your call right now.');
    await line.isHearing('Goodbye and');
    await call.report({ type: 'identified', by: 'machine' });
    assert.equal(await line.hears(), 'Goodbye and ');
    assert.equal(await line.hears(), 'Please call back.');
    never.resolve('');
    await over;
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['completed', 'voicemail']);
  });

  describe('whose message is interrupted', () => {
    const connectMachine = async (fields: Record<string, unknown> = {}) => {
      const connected = await connect({
        voice_mail_message: 'Please call back.',
        end_call_on_voicemail: true,
        ...fields,
      });
      await connected.line.hears();
      return connected;
    };

    it('says it again from its start', async () => {
      const { line, over, id, call } = await connectMachine();
      line.interrupts({ after: 'Please', saying: 'After the tone.' });
      await call.report({ type: 'identified', by: 'machine' });
      assert.equal(await line.hears(), 'Please');
      assert.equal(await line.hears(), 'Please call back.');
      await over;
      const record = await ended(id);
      assert.deepEqual([record['status'], record['end_reason']], ['completed', 'voicemail']);
      assert.equal(
        record['transcript'],
        'AI: Hello!\nAI: Please\nCustomer: After the tone.\nAI: Please call back.',
      );
    });

    it('says it again after a sound without words', async () => {
      const { line, over, id, call } = await connectMachine();
      line.interrupts({ after: 'Please' });
      await call.report({ type: 'identified', by: 'machine' });
      assert.equal(await line.hears(), 'Please');
      await line.waits(2);
      assert.equal(await line.hears(), 'Please call back.');
      await over;
      assert.equal((await ended(id))['status'], 'completed');
    });

    it('says it again if it only paused for the sound', async () => {
      const { line, over, id, call } = await connectMachine();
      line.interrupts({ after: 'Please', isNoise: true });
      await call.report({ type: 'identified', by: 'machine' });
      assert.equal(await line.hears(), 'Please call back.');
      assert.equal(await line.hears(), 'Please call back.');
      await over;
      assert.equal((await ended(id))['status'], 'completed');
    });

    it('does not repeat it for a sound after the time of the tone', async () => {
      const message =
        'This is Kim. Your cake is ready. You can get it today at the bakery until six. Goodbye.';
      const { line, over, id, call } = await connectMachine({ voice_mail_message: message });
      line.interrupts({ after: 'until six', isNoise: true });
      await call.report({ type: 'identified', by: 'machine' });
      await over;
      assert.deepEqual(line.actions, ['say Hello!', `say ${message}`, 'hang up']);
      assert.equal((await ended(id))['status'], 'completed');
    });

    it('gives up after three attempts, and does not report it as left', async () => {
      const { line, over, id, call } = await connectMachine();
      line.interrupts({ after: 'Please', saying: 'One.' });
      await call.report({ type: 'identified', by: 'machine' });
      for (const saying of ['Two.', 'Three.']) {
        assert.equal(await line.hears(), 'Please');
        line.interrupts({ after: 'Please', saying });
      }
      assert.equal(await line.hears(), 'Please');
      await over;
      const record = await ended(id);
      assert.deepEqual([record['status'], record['end_reason']], ['ended_by_assistant', 'voicemail']);
    });

    it('does not report it as left if the machine hangs up first', async () => {
      const { line, over, id, call } = await connectMachine();
      line.interrupts({ after: 'Please', hangingUp: true });
      await call.report({ type: 'identified', by: 'machine' });
      assert.equal(await line.hears(), 'Please');
      await over;
      const record = await ended(id);
      assert.deepEqual([record['status'], record['end_reason']], ['ended_by_customer', 'voicemail']);
    });
  });

  it('leaves the message once if the machine is reported twice', async () => {
    model.behave({});
    const { line, over, id, call } = await connect({
      voice_mail_message: 'Please call back.',
      end_call_on_voicemail: false,
    });
    await line.hears();
    await call.report({ type: 'identified', by: 'machine' });
    assert.equal(await line.hears(), 'Please call back.');
    await call.report({ type: 'identified', by: 'machine' });
    line.says('Beep.');
    assert.equal(await line.hears(), 'You said: Beep.');
    line.hangsUp();
    await over;
    assert.doesNotMatch(String((await ended(id))['transcript']), /call back[^]*call back/);
  });

  /** A machine that is found before the call is connected, and whose greeting the service waits for. */
  const greetedByMachine = async () => {
    const call = await place({ voice_mail_message: 'Please call back.', end_call_on_voicemail: true });
    await call.report({ type: 'identified', by: 'machine' });
    return { call, ...call.connect() };
  };

  it('ends the call if the machine hangs up during its greeting', async () => {
    const { call, line, over } = await greetedByMachine();
    line.hangsUp();
    await over;
    const record = await ended(call.plan.callId);
    assert.deepEqual([record['status'], record['end_reason']], ['ended_by_customer', 'voicemail']);
  });

  it('leaves the message on the next line if the connection is lost during the greeting', async () => {
    const { call, line, over } = await greetedByMachine();
    line.lose();
    await over;
    assert.equal((await call.disconnect('lost')).type, 'connect');
    const again = call.connect();
    assert.equal(await again.line.hears(), 'Please call back.');
    again.line.hangsUp();
    await again.over;
    assert.equal((await ended(call.plan.callId))['end_reason'], 'voicemail');
  });

  it('leaves the message once, after the greeting, if the machine was reported before the connection', async () => {
    const call = await place({ voice_mail_message: 'Please call back.', end_call_on_voicemail: true });
    await call.report({ type: 'identified', by: 'machine' });
    const { line, over } = call.connect();
    line.says('Leave a message.');
    await call.report({ type: 'identified', by: 'machine' });
    assert.equal(await line.hears(), 'Please call back.');
    await over;
    assert.deepEqual(line.actions, ['say Please call back.', 'hang up']);
    assert.equal((await ended(call.plan.callId))['status'], 'completed');
  });

  it('ends the call if there is no voicemail message', async () => {
    const { line, over, id, call } = await connect({ end_call_on_voicemail: true });
    await line.hears();
    await call.report({ type: 'identified', by: 'machine' });
    await over;
    assert.deepEqual(line.actions, ['say Hello!', 'hang up']);
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
  });

  it('ends the call if it finds a fax', async () => {
    const { line, over, id, call } = await connect({ voice_mail_message: 'Please call back.' });
    await line.hears();
    await call.report({ type: 'identified', by: 'fax' });
    await over;
    assert.deepEqual(line.actions, ['say Hello!', 'hang up']);
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
  });

  it('continues the call if it finds a person', async () => {
    model.behave({});
    const { line, over, id, call } = await connect({ end_call_on_voicemail: true });
    await line.hears();
    await call.report({ type: 'identified', by: 'human' });
    line.says('Hello?');
    assert.equal(await line.hears(), 'You said: Hello?');
    line.hangsUp();
    await over;
    assert.equal((await ended(id))['answered_by'], 'human');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CarrierError } from '../../src/service/carrier/carrier-error.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { callTo } from '../support/records/simulated-numbers.ts';
import { eventually } from '../support/eventually.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';
import { readMoney } from '../support/service/service.ts';

const { model, carrier, service, owner, pool, place, connect, ended, startAnother } = await startPhoneService(
  // Long enough that a busy machine neither loses its own lease nor takes its pauses for outages.
  { REPLY_LEASE_SECONDS: '4' },
);
model.behave({});

const statusOf = async (id: number) => (await owner.get(`calls/${id}`)).json['status'];
const dialedCount = (id: number) => carrier.calls.filter(({ plan }) => plan.callId === id).length;

/** Lets the next request to dial fail. */
const refuseNext = (error: Error) => {
  carrier.answer = () => {
    carrier.answer = ({ id }) => Promise.resolve(id);
    return Promise.reject(error);
  };
};

describe('a dialed call', () => {
  it('has the status ringing after the carrier reports it', async () => {
    const call = await place();
    assert.equal(await statusOf(call.plan.callId), 'initiated');
    await call.report({ type: 'ringing' });
    assert.equal(await statusOf(call.plan.callId), 'ringing');
    await call.report({ type: 'unreached', reason: 'busy' });
  });

  for (const reason of ['busy', 'no-answer', 'failed'] as const) {
    it(`ends as ${reason} free of charge, and ignores later reports`, async () => {
      const before = await readMoney(service, owner.id);
      const call = await place();
      await call.report({ type: 'unreached', reason });
      for (const late of [
        { type: 'ringing' },
        { type: 'unreached', reason: 'no-answer' },
        { type: 'ended', seconds: 0 },
      ] as const)
        await call.report(late);
      const record = await ended(call.plan.callId);
      assert.deepEqual([record['status'], record['total_cost']], [reason, 0]);
      assert.deepEqual(await readMoney(service, owner.id), before);
    });
  }

  it('stays in progress if ringing or unreached is reported after the answer', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    await call.report({ type: 'ringing' });
    await call.report({ type: 'unreached', reason: 'no-answer' });
    assert.equal(await statusOf(id), 'in-progress');
    line.hangsUp();
    await over;
  });

  it('ends once if both the carrier and the line report its end', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    await call.report({ type: 'ended', seconds: 7 });
    line.hangsUp();
    await over;
    await call.report({ type: 'ended', seconds: 7 });
    assert.equal((await ended(id))['status'], 'ended_by_customer');
    const { rows } = await pool.query(
      `SELECT 1 FROM jobs.job WHERE name = 'call-ended' AND (data->>'callId')::int = $1`,
      [id],
    );
    assert.equal(rows.length, 1);
  });

  it('ends with the reported duration if the connection is lost after the report', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    line.says('One question.');
    await line.hears();
    await call.report({ type: 'ended', seconds: 30 });
    line.lose();
    await over;
    const record = await ended(id);
    assert.deepEqual([record['status'], record['duration'], record['total_cost']], ['completed', 30, 0.1]);
    assert.deepEqual(await call.disconnect('lost'), { type: 'hang-up' });
  });

  it('ends with the reported duration if its process dies after the report', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    line.says('One question.');
    await line.hears();
    await eventually('the stored answer', async () => {
      const { rowCount } = await pool.query(
        'SELECT 1 FROM calls WHERE id = $1 AND jsonb_array_length(messages) = 3',
        [id],
      );
      return rowCount === 1 || undefined;
    });
    await call.report({ type: 'ended', seconds: 30 });
    await pool.query(
      `UPDATE calls SET lease_owner = gen_random_uuid(), lease_until = now() - interval '1 second' WHERE id = $1`,
      [id],
    );
    const record = await ended(id);
    assert.deepEqual([record['status'], record['duration'], record['total_cost']], ['completed', 30, 0.1]);
    line.lose();
    await over;
  });

  it('is not reconnected after its end was reported', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    await call.report({ type: 'ended', seconds: 30 });
    const late = call.connect();
    await assert.rejects(late.over, { name: 'Refusal' });
    assert.deepEqual(late.line.actions, ['hang up']);
    line.hangsUp();
    await over;
    assert.equal((await ended(id))['status'], 'ended_by_customer');
  });

  it('refuses reports, disconnections and connections with a wrong token', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    const token = 'x'.repeat(43);
    await assert.rejects(call.report({ type: 'ended', seconds: 7 }, { token }), { name: 'Refusal' });
    await assert.rejects(call.disconnect('lost', { token }), { name: 'Refusal' });
    const wrong = call.connect({ token });
    await assert.rejects(wrong.over, { name: 'Refusal' });
    assert.deepEqual(wrong.line.actions, ['hang up']);
    line.says('Still there?');
    assert.equal(await line.hears(), 'You said: Still there?');
    line.hangsUp();
    await over;
    assert.equal((await ended(id))['status'], 'completed');
  });

  it('accepts one connection per token, and only with the id of the dialed call', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    const replayed = call.connect();
    await assert.rejects(replayed.over, { name: 'Refusal' });
    await call.disconnect('lost');
    const other = call.connect({ carrierCallId: 'another call' });
    await assert.rejects(other.over, { name: 'Refusal' });
    line.says('Still there?');
    assert.equal(await line.hears(), 'You said: Still there?');
    const again = call.connect();
    await again.line.hears();
    again.line.hangsUp();
    await again.over;
    line.hangsUp();
    await over;
    assert.equal((await ended(id))['status'], 'completed');
  });

  it('has no recording_url if it failed, until the carrier reports a recording', async () => {
    const { call, line, over, id } = await connect({ record: true });
    await line.hears();
    for (let lost = 0; lost < 3; lost++) await call.disconnect('lost');
    const failed = await ended(id);
    assert.deepEqual([failed['status'], 'recording_url' in failed], ['failed', false]);
    await call.report({ type: 'recorded', recordingId: 'RE2', seconds: 3 });
    assert.match(String((await ended(id))['recording_url']), /\/api\/recordings\/[\w-]{43}$/);
    line.hangsUp();
    await over;
  });

  it('has a recording_url once the carrier reports a recording, even after the end', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    line.hangsUp();
    await over;
    assert.equal('recording_url' in (await ended(id)), false);
    await call.report({ type: 'recorded', recordingId: 'RE1', seconds: 3 });
    const url = (await ended(id))['recording_url'];
    await call.report({ type: 'recorded', recordingId: 'RE1', seconds: 3 });
    assert.match(String(url), /\/api\/recordings\/[\w-]{43}$/);
    assert.equal((await ended(id))['recording_url'], url);
  });
});

describe('a recording', () => {
  it('is deleted at the carrier if it is reported after its call was deleted', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    line.hangsUp();
    await over;
    await ended(id);
    const report = { type: 'recorded', recordingId: 'RE-late', seconds: 3 } as const;
    await assert.rejects(call.report(report, { token: 'x'.repeat(43) }), { name: 'Refusal' });
    assert.equal((await owner.delete(`calls/${id}`)).status, 200);
    await call.report(report);
    await eventually('the recording to be deleted', () =>
      Promise.resolve(carrier.deletedRecordings.includes('RE-late') || undefined),
    );
    assert.deepEqual(carrier.deletedRecordings, ['RE-late']);
  });
});

describe('a call that the carrier refuses', () => {
  it('fails free of charge, and is not dialed again', async () => {
    const before = await readMoney(service, owner.id);
    refuseNext(new CarrierError('This number cannot be called.'));
    const { plan } = await place();
    assert.equal((await ended(plan.callId))['status'], 'failed');
    assert.equal(dialedCount(plan.callId), 1);
    assert.deepEqual(await readMoney(service, owner.id), before);
  });

  it('stops its campaign without counting a try, if the carrier refuses all of its calls', async () => {
    const assistant = await owner.create('assistant', assistantBody({ post_call_evaluation: false }));
    const campaign = await owner.create('campaigns', {
      ...{ name: 'Spring', assistant_id: assistant.id, max_calls_in_parallel: 1 },
    });
    for (const phone_number of [callTo.person, callTo.hangsUp]) {
      await owner.create('lead', { phone_number, campaign_id: campaign.id });
    }
    const start = () => owner.post('campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
    const readCampaign = async () => {
      const listed = JSON.parse((await owner.get('campaigns')).text) as Record<string, unknown>[];
      return listed.find(({ id }) => id === campaign.id) ?? {};
    };
    const readLeads = async () => {
      const { rows } = await pool.query<{ status: string; tries: number }>(
        'SELECT status, tries FROM leads WHERE campaign_id = $1 ORDER BY id',
        [campaign.id],
      );
      return rows;
    };
    const nextCall = (count: number) =>
      eventually('a call', () => Promise.resolve(carrier.calls[count]?.plan.callId));
    const count = carrier.calls.length;
    refuseNext(new CarrierError('The account is suspended.', { reason: 'carrier-account' }));
    await start();
    const { status, end_reason } = await ended(await nextCall(count));
    assert.deepEqual([status, end_reason], ['failed', 'carrier-account']);
    assert.equal((await readCampaign())['stop_reason'], 'carrier-account');
    const leads = await eventually('the lead to be updated', async () => {
      const found = await readLeads();
      return found.some((lead) => lead.status === 'processing') ? undefined : found;
    });
    assert.deepEqual(leads, [
      { status: 'rescheduled', tries: 0 },
      { status: 'created', tries: 0 },
    ]);
    assert.equal(carrier.calls.length, count + 1);
    await start();
    await nextCall(count + 1);
    assert.equal((await readCampaign())['stop_reason'], null);
  });

  it('is dialed again, without failing, if the carrier could not be reached', async () => {
    refuseNext(new CarrierError('The carrier cannot be reached.', { isTemporary: true }));
    const refused = await place();
    const { callId } = refused.plan;
    const call = await eventually('the second attempt', () =>
      carrier.calls.find((other) => other.plan.callId === callId && other !== refused),
    );
    assert.equal(await statusOf(callId), 'initiated');
    await assert.rejects(refused.report({ type: 'ringing' }), { name: 'Refusal' });
    const { line, over } = call.connect();
    assert.equal(await line.hears(), 'Hello!');
    line.hangsUp();
    await over;
    assert.equal((await ended(callId))['status'], 'ended_by_customer');
    assert.equal(dialedCount(callId), 2);
  });

  it('is not started if the carrier cannot be reached for too long', async () => {
    carrier.answer = () =>
      Promise.reject(new CarrierError('The carrier cannot be reached.', { isTemporary: true }));
    const { plan } = await place();
    await pool.query(`UPDATE calls SET created_at = now() - interval '301 seconds' WHERE id = $1`, [
      plan.callId,
    ]);
    const { status, end_reason } = await ended(plan.callId);
    assert.deepEqual([status, end_reason], ['failed', 'not-started']);
    carrier.answer = ({ id }) => Promise.resolve(id);
  });

  it('can still be connected if dialing failed with a network error', async () => {
    refuseNext(new Error('socket hang up'));
    const call = await place();
    const { line, over } = call.connect();
    assert.equal(await line.hears(), 'Hello!');
    line.hangsUp();
    await over;
    assert.equal((await ended(call.plan.callId))['status'], 'ended_by_customer');
    assert.equal(dialedCount(call.plan.callId), 1);
  });
});

describe('a call whose end the carrier does not report', () => {
  /** Returns the seconds until the call times out, once the carrier has accepted it. */
  const secondsLeft = (id: number) =>
    eventually('the id of the call', async () => {
      const { rows } = await pool.query<{ seconds: number }>(
        `SELECT extract(epoch FROM lease_until - now())::float AS seconds
         FROM calls WHERE id = $1 AND carrier_call_id IS NOT NULL`,
        [id],
      );
      return rows[0]?.seconds;
    });

  const timeOut = async (id: number) => {
    await secondsLeft(id);
    await pool.query(`UPDATE calls SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
    assert.equal((await ended(id))['status'], 'failed');
  };

  const isEnded = (call: { id: string }, times = 1) =>
    eventually('the call to be ended', () =>
      Promise.resolve(carrier.hungUp.filter((id) => id === call.id).length === times || undefined),
    );

  it('fails after its time-out, and is ended at the carrier', async () => {
    const call = await place({ ringing_time: 20 });
    await timeOut(call.plan.callId);
    await isEnded(call);
  });

  it('is failed by an error of the carrier if the carrier has neither accepted nor reported it', async () => {
    refuseNext(new Error('Twilio failed at a call (status 500).'));
    const call = await place();
    const { callId } = call.plan;
    await eventually('the stored error', async () => {
      const { rowCount } = await pool.query(
        `UPDATE calls SET lease_until = now() - interval '1 second' WHERE id = $1 AND end_reason IS NOT NULL`,
        [callId],
      );
      return rowCount === 1 ? true : undefined;
    });
    const { status, end_reason } = await ended(callId);
    assert.deepEqual([status, end_reason], ['failed', 'carrier-error']);
    await call.report({ type: 'initiated' });
    await isEnded(call);
  });

  it('fails as not reported if its process died before the carrier responded, since the number may have been dialed', async () => {
    const call = await place();
    const { callId } = call.plan;
    await eventually('the id of the call', async () => {
      const { rowCount } = await pool.query(
        `UPDATE calls SET carrier_call_id = NULL, lease_until = now() - interval '1 second'
         WHERE id = $1 AND carrier_call_id IS NOT NULL`,
        [callId],
      );
      return rowCount === 1 ? true : undefined;
    });
    const { status, end_reason } = await ended(callId);
    assert.deepEqual([status, end_reason], ['failed', 'not-reported']);
  });

  it('may be queued at the carrier for longer than its ringing time', async () => {
    const call = await place({ ringing_time: 20 });
    const id = call.plan.callId;
    assert.ok((await secondsLeft(id)) > 500);
    for (const type of ['initiated', 'ringing'] as const) {
      await call.report({ type });
      const seconds = await secondsLeft(id);
      assert.ok(seconds > 40 && seconds <= 50, String(seconds));
    }
    const { line, over } = call.connect();
    await line.hears();
    await call.report({ type: 'initiated' });
    assert.ok((await secondsLeft(id)) < 10);
    line.hangsUp();
    await over;
  });

  it('is ended again at the carrier if it is dialed after its time-out', async () => {
    const call = await place();
    await timeOut(call.plan.callId);
    await isEnded(call);
    await call.report({ type: 'initiated' });
    await isEnded(call, 2);
  });

  it('is ended by the id from a report if the process that dialed it died', async () => {
    const unanswered = Promise.withResolvers<string>();
    carrier.answer = () => {
      carrier.answer = ({ id }) => Promise.resolve(id);
      return unanswered.promise;
    };
    const call = await place();
    await call.report({ type: 'ringing' });
    await pool.query(`UPDATE calls SET lease_until = now() - interval '1 second' WHERE id = $1`, [
      call.plan.callId,
    ]);
    assert.equal((await ended(call.plan.callId))['status'], 'failed');
    await eventually('the call to be ended', () =>
      Promise.resolve(carrier.hungUp.includes(call.id) || undefined),
    );
    unanswered.resolve(call.id);
  });
});

describe('a fax that is detected before the call is connected', () => {
  const expectHangUp = async ({ call, line, over }: Awaited<ReturnType<typeof connect>>) => {
    await over;
    assert.deepEqual(line.actions, ['hang up']);
    const record = await ended(call.plan.callId);
    assert.deepEqual(
      [record['status'], record['end_reason'], record['answered_by']],
      ['ended_by_assistant', 'fax', 'machine'],
    );
  };

  it('ends the call without a voicemail message', async () => {
    const call = await place({ voice_mail_message: 'Please call back.' });
    await call.report({ type: 'identified', by: 'fax' });
    await expectHangUp({ call, id: call.plan.callId, ...call.connect() });
  });
});

describe('a deleted call', () => {
  const endedAtCarrier = (call: { id: string }) =>
    eventually('the call to be ended', () => Promise.resolve(carrier.hungUp.includes(call.id) || undefined));

  it('is ended at the carrier even if its id arrives after the deletion', async () => {
    const answer = Promise.withResolvers<string>();
    carrier.answer = () => {
      carrier.answer = ({ id }) => Promise.resolve(id);
      return answer.promise;
    };
    const call = await place();
    assert.equal((await owner.delete(`calls/${call.plan.callId}`)).status, 200);
    answer.resolve(call.id);
    await endedAtCarrier(call);
  });

  it('is ended at the carrier when the data about its customer is deleted', async () => {
    const call = await place();
    await call.report({ type: 'ringing' });
    const texts: string[] = [];
    const streams = { out: (text: string) => texts.push(text), err: (text: string) => texts.push(text) };
    const args = ['person', 'delete', '--phone', call.plan.to, '--yes'];
    assert.equal(await runCli(args, {}, streams, service.running.database), 0, texts.join());
    await endedAtCarrier(call);
  });
});

describe('a call with two processes', () => {
  it('can be run by a process that did not dial it', async () => {
    const { handler: other } = await startAnother();
    const call = await place();
    await call.report({ type: 'ringing' }, { at: other });
    const { line, over } = call.connect({ at: other });
    await line.hears();
    line.says('Who is there?');
    assert.equal(await line.hears(), 'You said: Who is there?');
    line.hangsUp();
    await over;
    assert.equal((await ended(call.plan.callId))['status'], 'completed');
  });

  it('continues in the process that was connected last, and ends in the earlier one', async () => {
    const { handler: other } = await startAnother();
    const { call, line, over, id } = await connect();
    await line.hears();
    await call.disconnect('lost', { at: other });
    const again = call.connect({ at: other });
    await again.line.hears();
    line.says('Can you hear me?');
    await over;
    assert.ok(line.actions.includes('hang up'));
    again.line.says('Hello?');
    assert.equal(await again.line.hears(), 'You said: Hello?');
    again.line.hangsUp();
    await again.over;
    const record = await ended(id);
    assert.deepEqual([record['status'], record['total_cost']], ['completed', 0.1]);
    assert.doesNotMatch(String(record['transcript']), /Can you hear me/);
  });

  it('can be connected again for longer than the lease of a process that died', async () => {
    const { handler: other } = await startAnother();
    const die = (id: number) =>
      pool.query(
        `UPDATE calls SET lease_owner = gen_random_uuid(), lease_until = now() + interval '1 second'
         WHERE id = $1`,
        [id],
      );
    const [lost, abandoned] = [await connect(), await connect()];
    for (const { line } of [lost, abandoned]) await line.hears();
    await die(lost.id);
    assert.equal((await lost.call.disconnect('lost', { at: other })).type, 'connect');
    await die(abandoned.id);
    assert.equal((await ended(abandoned.id))['end_reason'], 'service-stopped');
    assert.equal(await statusOf(lost.id), 'in-progress');
    const again = lost.call.connect({ at: other });
    await again.line.hears();
    again.line.says('Hello?');
    assert.equal(await again.line.hears(), 'You said: Hello?');
    again.line.hangsUp();
    await again.over;
    const record = await ended(lost.id);
    assert.deepEqual([record['status'], record['total_cost']], ['completed', 0.1]);
    for (const { line, over } of [lost, abandoned]) {
      line.lose();
      await over;
    }
  });

  it('fails with its duration up to the end of its lease if its process has died', async () => {
    const before = await readMoney(service, owner.id);
    const { line, over, id } = await connect();
    await line.hears();
    await pool.query(
      `UPDATE calls SET lease_owner = gen_random_uuid(), lease_until = now() - interval '1 hour',
         answered_at = now() - interval '65 minutes'
       WHERE id = $1`,
      [id],
    );
    const record = await ended(id);
    assert.deepEqual([record['end_reason'], record['duration']], ['service-stopped', 300]);
    assert.deepEqual(await readMoney(service, owner.id), before);
    line.lose();
    await over;
  });

  it('continues on the later connection if the same process is connected twice', async () => {
    const { call, line, over, id } = await connect();
    await line.hears();
    await call.disconnect('lost');
    const again = call.connect();
    await again.line.hears();
    line.says('Can you hear me?');
    await over;
    again.line.says('Hello?');
    assert.equal(await again.line.hears(), 'You said: Hello?');
    again.line.hangsUp();
    await again.over;
    assert.doesNotMatch(String((await ended(id))['transcript']), /Can you hear me/);
  });

  it('applies a machine detection that was reported to another process', async () => {
    const { handler: other } = await startAnother();
    const { call, line, over, id } = await connect({
      voice_mail_message: 'Please call back.',
      end_call_on_voicemail: true,
    });
    await line.hears();
    await call.report({ type: 'identified', by: 'machine' }, { at: other });
    assert.equal(await line.hears(), 'Please call back.');
    await over;
    assert.deepEqual(
      [(await ended(id))['status'], (await ended(id))['answered_by']],
      ['completed', 'machine'],
    );
  });

  it('hangs up on a fax that was reported to another process', async () => {
    const { handler: other } = await startAnother();
    const { call, line, over, id } = await connect({ voice_mail_message: 'Please call back.' });
    await line.hears();
    await call.report({ type: 'identified', by: 'fax' }, { at: other });
    await over;
    assert.deepEqual(line.actions, ['say Hello!', 'hang up']);
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
  });
});

import { assistantBody } from '../records/assistant-body.ts';
import { Owner } from '../records/owner.ts';
import { callTo, waitForCall } from '../records/simulated-numbers.ts';
import { startModelServer } from '../servers/model-server.ts';
import { atEnd, newDatabase, startService } from '../service/service.ts';
import type { CallMessage } from '../../../src/service/db/calls-table.ts';
import { ScriptedCarrier } from './scripted-carrier.ts';

/** Starts a service with a scripted carrier and a scripted language model. */
export async function startPhoneService(more: Record<string, string> = {}) {
  const model = await startModelServer();
  atEnd(() => model.close());
  const env = {
    ...(await newDatabase()),
    WORKERS: 'on',
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'sk-test',
    ...more,
  };
  const carrier = new ScriptedCarrier();
  const service = await startService(env, { carrier });
  const owner = await Owner.create(service, '10');
  const { pool } = service.running.database;

  /** Starts a call of an assistant with these fields; resolves once the carrier has been asked to dial. */
  const place = async (fields: Record<string, unknown> = {}) => {
    const assistant = await owner.create(
      'assistant',
      assistantBody({ post_call_evaluation: false, ...fields }),
    );
    const { json } = await owner.post('make_call', {
      phone_number: callTo.person,
      assistant_id: assistant.id,
    });
    return carrier.dialed(Number(json['call_id']));
  };

  return {
    ...{ model, carrier, service, owner, pool, place },
    /** Starts another process's service on the same database, with another carrier. */
    startAnother: async () => {
      const other = new ScriptedCarrier();
      const extras = { carrier: other, database: service.running.database };
      await startService({ ...env, WORKERS: 'off' }, extras);
      return other;
    },
    /** Starts a call and connects it. */
    connect: async (fields: Record<string, unknown> = {}) => {
      const call = await place(fields);
      return { call, id: call.plan.callId, ...call.connect() };
    },
    /** The record of a call that has ended. */
    ended: (id: number) => waitForCall(owner, id),
    /** The transcript of a call. */
    lines: async (id: number): Promise<CallMessage[]> => {
      const { rows } = await pool.query<{ messages: CallMessage[] }>(
        'SELECT messages FROM calls WHERE id = $1',
        [id],
      );
      return rows[0]?.messages ?? [];
    },
  };
}

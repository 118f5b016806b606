import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { operations } from '../../src/contract/operations.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { newDatabase, startService } from '../support/service/service.ts';
import { createTenant } from '../support/records/tenant.ts';

/** The properties of an operation that the tests use. */
interface Endpoint {
  method: string;
  path: string;
  auth: string;
  request?: { shape: object };
  query?: { shape: object };
}

// A separate database, since the tests try all ids and compare whole tables.
const service = await startService(await newDatabase());
const { pool } = service.running.database;
const victim = await createTenant(service, 'Secret');
const intruder = await createTenant(service, 'Mallory');

/** The highest id of the test's records, and an unused id. */
const highest = 6;
const missing = 99_999;

/** Valid bodies, so that only a foreign id can be the error. */
const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  createAssistant: assistantBody(),
  createCampaign: { name: 'Spring', assistant_id: intruder.fields['assistant_id'] },
  createLead: { phone_number: '+4915112345670', campaign_id: intruder.fields['campaign_id'] },
  updateCampaignStatus: { action: 'stop' },
  blockNumber: { phone_number: '+4915112345699' },
  makeCall: { phone_number: '+4915112345670', assistant_id: intruder.fields['assistant_id'] },
  generateReply: { customer_identifier: 'Anna', message: 'Hello' },
  writeAsPerson: { message: 'Hello' },
  ...Object.fromEntries(
    ['enableInboundWebhook', 'enableConversationEndedWebhook'].map((name) => [
      name,
      { webhook_url: 'https://shop.example/hook' },
    ]),
  ),
};

/** Lists that are the same for all accounts, and fields that refer to their records. */
const sharedLists = [
  'listLanguages',
  'listModels',
  'listSynthesizerProviders',
  'listTranscriberProviders',
  'listVoices',
  'searchPhoneNumbers',
];
const sharedFields =
  /^(voice|language|llm_model|multimodal_model|chat_llm_fallback|(synthesizer|transcriber)_provider)_id$|^secondary_language_ids$/;

const endpoints = Object.entries<Endpoint>(operations).filter(([, { auth }]) => auth === 'bearer');
const hasIds = ({ path }: Endpoint) => path.includes('/:');
const isList = ([, endpoint]: [string, Endpoint]) => endpoint.method === 'GET' && !hasIds(endpoint);

/** Returns the fields of a request or a query that refer to a user's record. */
function foreignFields(schema: { shape: object } | undefined): string[] {
  const fields = Object.keys(schema?.shape ?? {}).filter((field) => /_ids?$/.test(field));
  return fields.filter((field) => !sharedFields.test(field));
}

const send = (method: string, path: string, body?: unknown, key = intruder.owner.key) =>
  service.request(method, path, method === 'GET' ? undefined : body, key === '' ? {} : bearer(key));
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Fills the parameters of a path, each by the segment before it. */
const fill = (path: string, ids: Readonly<Record<string, number | string>>) =>
  path.replace(/([\w-]+)\/:\w+/g, (_, segment: string) => {
    assert.ok(segment in ids, `the test has no id for ${segment}`);
    return `${segment}/${ids[segment]}`;
  });

/** Returns the path with every combination of ids, except the intruder's own. */
function pathsWithEveryId(path: string): string[] {
  const segments = [...path.matchAll(/([\w-]+)\/:\w+/g)].map(([, segment = '']) => segment);
  const candidates = (segment: string) =>
    segment === 'conversations'
      ? [victim.paths[segment] ?? '', randomUUID(), 'x']
      : [...Array.from({ length: highest + 1 }, (_, id) => id), missing, 'x'];
  let combinations: Record<string, number | string>[] = [{}];
  for (const segment of segments) {
    combinations = combinations.flatMap((ids) =>
      candidates(segment).map((id) => ({ ...ids, [segment]: id })),
    );
  }
  const own = fill(path, intruder.paths);
  return combinations.map((ids) => fill(path, ids)).filter((filled) => filled !== own);
}

/** Returns a hash of every table, including jobs, except what any request or the housekeeping writes. */
async function readTables(): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_name NOT IN ('api_keys', 'rate_limits', 'list_totals', 'heartbeat')
       OR table_schema = 'jobs' AND table_name = 'job'`,
  );
  assert.ok(rows.some(({ name }) => name === 'jobs.job'));
  const found: Record<string, unknown> = {};
  for (const { name } of rows) {
    const content = await pool.query(
      `SELECT count(*), md5(string_agg(kept::text, '' ORDER BY kept::text))
       FROM ${name} AS row, LATERAL (SELECT to_jsonb(row) - 'inactivity_check_at' AS kept) AS content`,
    );
    found[name] = content.rows[0];
  }
  return found;
}

let before: Record<string, unknown>;

test('tries the ids of all records', async () => {
  // Not when the file is loaded: in a long run, conversations become inactive before its tests begin.
  before = await readTables();
  for (const { paths } of [victim, intruder]) {
    const ids = Object.values(paths).filter((id) => typeof id === 'number');
    assert.ok(ids.every((id) => id >= 1 && id <= highest));
  }
});

describe('without a valid key', () => {
  for (const [name, { method, path }] of endpoints) {
    test(`${name} returns 401`, async () => {
      for (const key of ['', `${victim.owner.key}x`]) {
        const answer = await send(method, fill(path, victim.paths), bodies[name] ?? {}, key);
        const message = 'Unauthenticated.';
        const expected = path.startsWith('/api/automate/')
          ? { status: false, error: message, message }
          : { message };
        assert.deepEqual([answer.status, answer.json], [401, expected]);
      }
    });
  }
});

describe("with another user's key", () => {
  for (const [name, endpoint] of endpoints.filter(([, found]) => hasIds(found))) {
    const { method, path } = endpoint;
    test(`${name} returns no record for any id`, async () => {
      const absent = await send(
        method,
        path.replace(/:uuid/, randomUUID()).replace(/:\w+/g, String(missing)),
        bodies[name] ?? {},
      );
      const theirs = await send(method, fill(path, victim.paths), bodies[name] ?? {});
      assert.equal(theirs.status, 404);
      assert.equal(theirs.text, absent.text);
      for (const filled of pathsWithEveryId(path)) {
        const { status } = await send(method, filled, bodies[name] ?? {});
        assert.equal(status, 404, `${method} ${filled}`);
      }
    });
  }

  for (const [name, { method, path }] of endpoints.filter(isList)) {
    test(`${name} returns nothing of the other account`, async () => {
      const victimResponse = await send(method, path, undefined, victim.owner.key);
      const intruderResponse = await send(method, path);
      assert.deepEqual([victimResponse.status, intruderResponse.status], [200, 200]);
      // The victim sees the records, so the list is not empty for everyone.
      if (sharedLists.includes(name)) assert.equal(intruderResponse.text, victimResponse.text);
      else assert.notEqual(intruderResponse.text, victimResponse.text);
      assert.doesNotMatch(intruderResponse.text, /Secret/);
    });
  }

  for (const [name, { method, path, query }] of endpoints) {
    for (const field of foreignFields(query)) {
      test(`${name} finds nothing by a foreign ${field}`, async () => {
        const url = `${path}?${field}=${String(victim.fields[field])}`;
        const victimResponse = await send(method, url, undefined, victim.owner.key);
        assert.equal((victimResponse.json['data'] as object[]).length, 1);
        assert.deepEqual((await send(method, url)).json['data'], []);
      });
    }
  }

  for (const [name, endpoint] of endpoints) {
    for (const field of foreignFields(endpoint.request)) {
      test(`${name} rejects a foreign ${field} like an unknown one`, async () => {
        const theirs = victim.fields[field];
        assert.ok(theirs !== undefined, `the test knows no record for ${field}`);
        const path = hasIds(endpoint) ? fill(endpoint.path, intruder.paths) : endpoint.path;
        const give = (value: unknown) => send(endpoint.method, path, { ...bodies[name], [field]: value });
        const refused = await give(theirs);
        const absent = await give(Array.isArray(theirs) ? [missing] : missing);
        assert.deepEqual([refused.status, refused.text], [absent.status, absent.text]);
        if (refused.status !== 404) {
          assert.equal(refused.status, 422);
          assert.deepEqual(Object.keys(refused.json['errors'] as object), [field]);
        }
      });
    }
  }
});

test('leaves all tables unchanged', async () => {
  assert.deepEqual(await readTables(), before);
});

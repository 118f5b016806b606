import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import type { ListedConversation } from '../../src/contract/conversation.ts';
import { Owner } from '../support/records/owner.ts';
import { secondsFromNow, signUserToken } from '../support/records/sign-user-token.ts';
import { deleteExpiredPreviewTokens } from '../../src/service/user-token/preview-token.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';
import type { AssistantOptions } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-key', LLM_MODEL: 'test' });
const { pool } = service.running.database;

/** Creates an owner with an assistant and its secret for user tokens. */
async function createSigned(options: AssistantOptions = {}) {
  const owner = await Owner.create(service, '1');
  const assistant = await createAssistant(service, { userId: owner.id, ...options });
  const { status, json } = await owner.post(`assistants/${assistant.id}/user-token-secret`, {});
  assert.equal(status, 201);
  assert.equal(json['algorithm'], 'HS256');
  return { owner, assistant, secret: json['secret'] as string };
}

const open = (uuid: string, token: string | undefined, more: Record<string, unknown> = {}) =>
  service.post('/api/conversations', { assistant_id: uuid, user_token: token, ...more });

async function requireToken(owner: Owner, assistantId: number): Promise<void> {
  const { status, text } = await owner.put(`assistant/${assistantId}`, {
    llm_model_id: 1,
    user_token_required: true,
  });
  assert.equal(status, 200, text);
}

async function countConversations(assistantId: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM conversations WHERE assistant_id = $1',
    [assistantId],
  );
  return rows[0]?.count ?? 0;
}

const variablesOf = async (uuid: string) =>
  (await service.get(`/api/conversations/${uuid}`)).json['variables'] as Record<string, unknown>;

const listed = async (owner: Owner) =>
  (await owner.get('conversations')).json['data'] as ListedConversation[];

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

describe('a user token', () => {
  test('identifies the visitor, and its claims fill the prompt', async () => {
    const { owner, assistant, secret } = await createSigned({
      initialMessage: 'Hello {{verified.name}}!',
      systemPrompt: 'You talk to {{ verified.name }}, user {{verified.sub}}, plan {{verified.plan}}.',
      variables: { plan: 'none' },
    });
    const token = signUserToken(secret, { sub: 'user-7', name: 'Ada', plan: 3, isAdmin: false });
    const { status, json } = await open(assistant.uuid, token, { variables: { city: 'Kiel' } });
    assert.equal(status, 200);
    const uuid = json['conversation_id'] as string;
    assert.deepEqual(await service.history(uuid), ['assistant: Hello Ada!']);
    assert.deepEqual(await variablesOf(uuid), {
      plan: 'none',
      city: 'Kiel',
      'verified.sub': 'user-7',
      'verified.name': 'Ada',
      'verified.plan': 3,
      'verified.isAdmin': false,
    });
    await service.send(uuid, 'Hi');
    const prompt = model.requests.at(-1)?.messages[0]?.content ?? '';
    assert.match(prompt, /^You talk to <data>"Ada"<\/data>, user <data>"user-7"<\/data>, plan 3\./);
    assert.deepEqual(
      (await listed(owner)).map(({ id, verified_user }) => [id, verified_user]),
      [[uuid, 'user-7']],
    );
  });

  test('leaves registered claims, objects, and claims beyond the limits out of the variables', async () => {
    const { assistant, secret } = await createSigned();
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`c${index}`, index]));
    const token = signUserToken(secret, {
      sub: 'user-7',
      ...{ iss: 'site', aud: 'chat', jti: '1', iat: secondsFromNow(0), nbf: secondsFromNow(0) },
      ...{
        list: [1],
        nested: { a: 1 },
        nothing: null,
        long: 'x'.repeat(2001),
        ['n'.repeat(60)]: 1,
        nul: '\0',
      },
      ...many,
    });
    const uuid = (await open(assistant.uuid, token)).json['conversation_id'] as string;
    const names = Object.keys(await variablesOf(uuid)).sort();
    const expected = Array.from({ length: 20 }, (_, index) => `verified.c${index}`);
    // The subject is the first of the 20 claims.
    assert.deepEqual(names, ['verified.sub', ...expected.slice(0, 19)].sort());
  });

  test('is verified by an Ed25519 public key, as PEM text or as a JWK', async () => {
    for (const key of [publicPem, publicKey.export({ format: 'jwk' })]) {
      const { owner, assistant, secret } = await createSigned();
      const path = `assistants/${assistant.id}/user-token-secret`;
      const { status, json } = await owner.post(path, { public_key: key });
      assert.deepEqual([status, json], [201, { algorithm: 'EdDSA', secret: null }]);
      assert.equal((await open(assistant.uuid, signUserToken(privateKey, { sub: 'a' }))).status, 200);
      assert.equal((await open(assistant.uuid, signUserToken(secret, { sub: 'a' }))).status, 401);
    }
  });

  test('is accepted up to a minute after its expiry, for clocks that differ', async () => {
    const { assistant, secret } = await createSigned();
    const token = signUserToken(secret, { sub: 'a', exp: secondsFromNow(-30), nbf: secondsFromNow(30) });
    assert.equal((await open(assistant.uuid, token)).status, 200);
  });

  test('is refused after the secret was replaced or deleted', async () => {
    const { owner, assistant, secret } = await createSigned();
    const token = signUserToken(secret, { sub: 'a' });
    const path = `assistants/${assistant.id}/user-token-secret`;
    const replaced = (await owner.post(path, {})).json['secret'] as string;
    assert.equal((await open(assistant.uuid, token)).status, 401);
    assert.equal((await open(assistant.uuid, signUserToken(replaced, { sub: 'a' }))).status, 200);
    assert.equal((await owner.delete(path)).status, 200);
    const { status, json } = await open(assistant.uuid, signUserToken(replaced, { sub: 'a' }));
    assert.equal(status, 401);
    assert.deepEqual(json, {
      status: false,
      error: 'The user token is not valid: the assistant has no secret for user tokens',
    });
  });
});

describe('a forged or unusable user token is refused, and nothing is opened:', () => {
  const payloadOf = (token: string) => token.split('.')[1] ?? '';
  const replacePayload = (token: string, claims: object) =>
    token.replace(payloadOf(token), Buffer.from(JSON.stringify(claims)).toString('base64url'));
  const unsigned = (header: object, claims: object) =>
    [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const exp = secondsFromNow(600);
  const invalid = /^The user token is not valid: ./;
  const expired = /^The user token has expired$/;

  const forgeries: [name: string, forge: (secret: string, others: string) => string, error?: RegExp][] = [
    ['no signature, alg none', () => `${unsigned({ alg: 'none' }, { sub: 'a', exp })}.`],
    ['alg None with a valid signature', (secret) => signUserToken(secret, { sub: 'a' }, { alg: 'None' })],
    ['alg HS512 in the header', (secret) => signUserToken(secret, { sub: 'a' }, { alg: 'HS512' })],
    ['the signature removed', (secret) => signUserToken(secret, { sub: 'a' }).replace(/[^.]+$/, '')],
    ['a wrong secret', () => signUserToken('wrong', { sub: 'a' })],
    ['an empty secret', () => signUserToken('', { sub: 'a' })],
    ["another assistant's secret", (_, others) => signUserToken(others, { sub: 'a' })],
    ['a key of another algorithm', () => signUserToken(privateKey, { sub: 'a' })],
    [
      'a tampered payload',
      (secret) => replacePayload(signUserToken(secret, { sub: 'a' }), { sub: 'b', exp }),
    ],
    ['a critical header', (secret) => signUserToken(secret, { sub: 'a' }, { crit: ['x'], x: 1 })],
    ['an expired token', (secret) => signUserToken(secret, { sub: 'a', exp: secondsFromNow(-90) }), expired],
    ['a token for the future', (secret) => signUserToken(secret, { sub: 'a', nbf: secondsFromNow(90) })],
    ['no exp', (secret) => signUserToken(secret, { sub: 'a', exp: undefined })],
    ['an exp that is text', (secret) => signUserToken(secret, { sub: 'a', exp: String(exp) })],
    ['no sub', (secret) => signUserToken(secret, {})],
    ['an empty sub', (secret) => signUserToken(secret, { sub: '' })],
    ['a sub that is a number', (secret) => signUserToken(secret, { sub: 7 })],
    ['a sub that is too long', (secret) => signUserToken(secret, { sub: 'x'.repeat(256) })],
    ['a sub with a null character', (secret) => signUserToken(secret, { sub: 'a\0b' })],
    ['no JWT', () => 'abc'],
    ['an encrypted JWT', () => 'a.b.c.d.e'],
    ['the secret itself', (secret) => secret],
  ];
  for (const [name, forge, error = invalid] of forgeries) {
    test(name, async () => {
      const { assistant, secret } = await createSigned();
      const other = await createSigned();
      const { status, json } = await open(assistant.uuid, forge(secret, other.secret));
      assert.equal(status, 401);
      assert.deepEqual(Object.keys(json), ['status', 'error']);
      assert.equal(json['status'], false);
      assert.match(json['error'] as string, error);
      assert.equal(await countConversations(assistant.id), 0);
    });
  }

  test('HS256 with the public key as the secret', async () => {
    const { owner, assistant } = await createSigned();
    await owner.post(`assistants/${assistant.id}/user-token-secret`, { public_key: publicPem });
    const [raw, der] = [
      publicKey.export({ format: 'jwk' }).x ?? '',
      publicKey.export({ type: 'spki', format: 'der' }),
    ];
    const content = unsigned({ alg: 'HS256' }, { sub: 'a', exp });
    for (const key of [publicPem, publicPem.trim(), raw, Buffer.from(raw, 'base64url'), der]) {
      const signature = createHmac('sha256', key).update(content).digest('base64url');
      assert.equal((await open(assistant.uuid, `${content}.${signature}`)).status, 401);
    }
    assert.equal(await countConversations(assistant.id), 0);
  });

  test('no token, if the assistant requires one', async () => {
    const { owner, assistant, secret } = await createSigned();
    assert.equal((await open(assistant.uuid, undefined)).status, 200);
    await requireToken(owner, assistant.id);
    for (const more of [{}, { user_token: null }, { user_token: '' }, { type: 'test' }]) {
      const { status, json } = await open(assistant.uuid, undefined, more);
      assert.deepEqual([status, json], [401, { status: false, error: 'A user token is required' }]);
    }
    assert.equal(await countConversations(assistant.id), 1);
    assert.equal((await open(assistant.uuid, signUserToken(secret, { sub: 'a' }))).status, 200);
  });
});

describe("a verified user's conversation", () => {
  test('is resumed on another device, with its history and the claims of the new token', async () => {
    const { assistant, secret } = await createSigned({ initialMessage: 'Hello!' });
    const first = await open(assistant.uuid, signUserToken(secret, { sub: 'a', plan: 'free', old: 1 }));
    const uuid = first.json['conversation_id'] as string;
    await service.send(uuid, 'Remember me');
    const second = await open(assistant.uuid, signUserToken(secret, { sub: 'a', plan: 'pro' }), {
      variables: { page: '/b' },
    });
    assert.equal(second.json['conversation_id'], uuid);
    const contents = (second.json['history'] as { content: string }[]).map(({ content }) => content);
    assert.deepEqual(contents.slice(0, 2), ['Hello!', 'Remember me']);
    assert.deepEqual(await variablesOf(uuid), { page: '/b', 'verified.sub': 'a', 'verified.plan': 'pro' });
    assert.equal(await countConversations(assistant.id), 1);
  });

  test('is the same one if two devices open it at the same time', async () => {
    const { assistant, secret } = await createSigned();
    const tokens = Array.from({ length: 8 }, (_, n) => signUserToken(secret, { sub: 'a', n }));
    const opened = await Promise.all(tokens.map((token) => open(assistant.uuid, token)));
    assert.equal(new Set(opened.map(({ json }) => json['conversation_id'])).size, 1);
    assert.equal(await countConversations(assistant.id), 1);
  });

  test('is never returned to another user, an anonymous visitor, or by another assistant', async () => {
    const { assistant, secret } = await createSigned();
    const other = await createSigned();
    const headers = { 'Idempotency-Key': 'the same key' };
    const body = { assistant_id: assistant.uuid, new_conversation: true };
    const openKeyed = async (sub: string | undefined) =>
      service.post(
        '/api/conversations',
        { ...body, user_token: sub && signUserToken(secret, { sub }) },
        headers,
      );
    const first = await openKeyed('a');
    assert.equal(first.status, 200);
    assert.equal((await openKeyed('a')).json['conversation_id'], first.json['conversation_id']);
    assert.equal((await openKeyed('b')).status, 422);
    assert.equal((await openKeyed(undefined)).status, 422);
    const later = [
      await open(assistant.uuid, signUserToken(secret, { sub: 'b' })),
      await open(assistant.uuid, signUserToken(secret, { sub: 'A' })),
      await open(assistant.uuid, undefined),
      await open(other.assistant.uuid, signUserToken(other.secret, { sub: 'a' })),
    ];
    const ids = [first, ...later].map(({ json }) => json['conversation_id']);
    assert.equal(new Set(ids).size, 5);
  });

  test('is replaced by a new one when it has ended, was deleted, or a new one is requested', async () => {
    const { assistant, secret } = await createSigned();
    const openAgain = async (more = {}) =>
      (await open(assistant.uuid, signUserToken(secret, { sub: 'a' }), more)).json[
        'conversation_id'
      ] as string;
    const ended = await openAgain();
    await pool.query('UPDATE conversations SET ended_at = now() WHERE uuid = $1', [ended]);
    const deleted = await openAgain();
    assert.notEqual(deleted, ended);
    await service.request('DELETE', `/api/conversations/${deleted}`);
    const left = await openAgain();
    assert.ok(![ended, deleted].includes(left));
    const latest = await openAgain({ new_conversation: true });
    assert.notEqual(latest, left);
    assert.equal(await openAgain(), latest);
  });

  test('keeps only the variables of the page and the assistant if earlier ones leave no room for them', async () => {
    const { assistant, secret } = await createSigned({ variables: { shop: 'Nordkamm' } });
    const names = (start: number) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`name_${start + n}`, 'x']));
    const token = signUserToken(secret, { sub: 'a', plan: 'gold' });
    const visits = [];
    for (const start of [0, 100, 200]) {
      visits.push(await open(assistant.uuid, token, { variables: names(start) }));
    }
    const ids = visits.map(({ json }) => json['conversation_id'] as string);
    assert.equal(new Set(ids).size, 1);
    assert.deepEqual(await variablesOf(ids[0] ?? ''), {
      shop: 'Nordkamm',
      'verified.plan': 'gold',
      'verified.sub': 'a',
      ...names(200),
    });
  });
});

test('variables whose names begin with verified. are refused from pages, visitors and assistants', async () => {
  const { owner, assistant, secret } = await createSigned({ balance: '1' });
  const error = 'variables: names that begin with verified. are reserved for user tokens';
  const token = signUserToken(secret, { sub: 'a' });
  const uuid = (await open(assistant.uuid, token)).json['conversation_id'] as string;
  for (const name of ['verified.sub', 'verified.', 'Verified.name', ' verified.name']) {
    const variables = { [name]: 'forged' };
    const opened = await open(assistant.uuid, token, { variables });
    assert.deepEqual([opened.status, opened.json], [422, { status: false, error }]);
    const sent = await service.send(uuid, 'Hi', {}, { variables });
    assert.deepEqual([sent.status, sent.json], [422, { status: false, error }]);
    const changed = await owner.put(`assistant/${assistant.id}`, { variables });
    assert.equal(changed.status, 422);
    assert.match(changed.errors['variables']?.[0] ?? '', /begin with verified\./);
  }
  assert.deepEqual(await variablesOf(uuid), { 'verified.sub': 'a' });
});

describe('the secret for user tokens', () => {
  test('is refused if the public key is private, of another type, or malformed', async () => {
    const { owner, assistant } = await createSigned();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const keys = [
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      privateKey.export({ format: 'jwk' }),
      rsa.export({ type: 'spki', format: 'pem' }).toString(),
      rsa.export({ format: 'jwk' }),
      'abc',
      {},
      7,
      'x'.repeat(1001),
    ];
    for (const public_key of keys) {
      const { status, errors } = await owner.post(`assistants/${assistant.id}/user-token-secret`, {
        public_key,
      });
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(errors), ['public_key']);
    }
  });

  test("is not set, deleted or shown for another owner's assistant", async () => {
    const { owner, assistant, secret } = await createSigned();
    const otherOwner = await Owner.create(service);
    const path = `assistants/${assistant.id}/user-token-secret`;
    assert.equal((await otherOwner.post(path, {})).status, 404);
    assert.equal((await otherOwner.delete(path)).status, 404);
    assert.equal((await otherOwner.post(`assistants/${assistant.id}/preview-token`, {})).status, 404);
    assert.equal((await open(assistant.uuid, signUserToken(secret, { sub: 'a' }))).status, 200);
    assert.doesNotMatch((await owner.get('assistants')).text, new RegExp(secret));
  });
});

describe('a preview token', () => {
  const mint = async (owner: Owner, id: number) =>
    (await owner.post(`assistants/${id}/preview-token`, {})).json as { token: string; expires_at: string };
  const isPreview = async (uuid: unknown) => {
    const { rows } = await pool.query<{ is_preview: boolean }>(
      'SELECT is_preview FROM conversations WHERE uuid = $1',
      [uuid],
    );
    return rows[0]?.is_preview;
  };

  test('marks a test conversation as the owner’s, for one hour', async () => {
    const { owner, assistant } = await createSigned();
    const { token, expires_at } = await mint(owner, assistant.id);
    assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000) < 60_000);
    const { status, json } = await open(assistant.uuid, token, { type: 'test' });
    assert.equal(status, 200);
    assert.equal(await isPreview(json['conversation_id']), true);
    const anonymous = await open(assistant.uuid, undefined, { type: 'test' });
    assert.equal(await isPreview(anonymous.json['conversation_id']), false);
    assert.equal((await listed(owner))[1]?.verified_user, null);
  });

  test('also opens a test conversation with an assistant that requires a user token', async () => {
    const { owner, assistant } = await createSigned();
    await requireToken(owner, assistant.id);
    const { token } = await mint(owner, assistant.id);
    assert.equal((await open(assistant.uuid, token, { type: 'test' })).status, 200);
  });

  test('is refused if it is unknown, expired, of another assistant, or a user token, and nothing is opened', async () => {
    const { owner, assistant, secret } = await createSigned();
    const other = await createAssistant(service, { userId: owner.id });
    const expired = await mint(owner, assistant.id);
    await pool.query('UPDATE preview_tokens SET expires_at = now() WHERE assistant_id = $1', [assistant.id]);
    const tokens = [
      'vpt_unknown',
      expired.token,
      (await mint(owner, other.id)).token,
      signUserToken(secret, { sub: 'a' }),
    ];
    for (const token of tokens) {
      const { status, json } = await open(assistant.uuid, token, { type: 'test' });
      assert.equal(status, 401);
      assert.match(
        json['error'] as string,
        /^The user token is not valid: the preview token is invalid or expired/,
      );
    }
    const { token } = await mint(owner, assistant.id);
    assert.equal((await open(assistant.uuid, token, { type: 'widget' })).status, 401);
    assert.equal(await countConversations(assistant.id), 0);
  });

  test('is stored as a hash only, and deleted after it has expired', async () => {
    const { owner, assistant } = await createSigned();
    const { token } = await mint(owner, assistant.id);
    const stored = await pool.query<{ row: string }>(
      'SELECT preview_tokens::text AS row FROM preview_tokens',
    );
    assert.ok(stored.rows.length > 0);
    for (const { row } of stored.rows) assert.ok(!row.includes(token) && !row.includes(token.slice(4)));
    await pool.query('UPDATE preview_tokens SET expires_at = now() WHERE assistant_id = $1', [assistant.id]);
    await deleteExpiredPreviewTokens(service.running.database.db);
    const left = await pool.query('SELECT 1 FROM preview_tokens WHERE assistant_id = $1', [assistant.id]);
    assert.equal(left.rows.length, 0);
  });
});

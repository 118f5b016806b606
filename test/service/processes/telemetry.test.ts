import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import pg from 'pg';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { startChildProcess } from '../../support/process/child-process.ts';
import { freePort } from '../../support/process/free-port.ts';
import { repository } from '../../support/repository.ts';
import { startModelServer } from '../../support/servers/model-server.ts';
import { startSilentProxy } from '../../support/servers/silent-proxy.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/eventually.ts';
import {
  atEnd,
  copyDatabase,
  createAssistant,
  newDatabase,
  startService,
  testDatabase,
} from '../../support/service/service.ts';

const env = await newDatabase();
const prepared = await startService(env);
const { uuid } = await createAssistant(prepared);
const jobs = new StoredJobs(prepared.running.database);
await jobs.send('hang-up', { carrierCallId: 'due' });
await jobs.send('hang-up', { carrierCallId: 'delayed' }, { startAfter: 3_600_000 });
// The jobs were last counted two minutes ago.
await prepared.running.database.pool.query("UPDATE jobs.queue SET monitor_on = now() - interval '2 minutes'");
await prepared.running.close();

describe('with OTEL_METRICS_EXPORTER=prometheus, /metrics on a separate port', () => {
  it('has requests, replies, time to first token, queues, streams and money', async () => {
    const port = String(await freePort());
    const service = await startServiceProcess({
      ...(await copyDatabase(env)),
      ...{ OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: port },
      REPLY_LEASE_SECONDS: '1',
    });
    const conversation = await service.open(uuid);
    assert.equal((await service.send(conversation, 'Hello')).status, 200);
    await service.get('/api/conversations/00000000-0000-4000-8000-000000000000');
    const events = await service.watch(conversation);
    let metrics = '';
    // An alert misses the first takeover if its counter has no value before.
    await eventually(
      () => `the counters of takeovers in ${metrics}`,
      async () => {
        metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return ['call', 'reply'].every((kind) =>
          new RegExp(`^chat_leases_taken_over_total\\{.*kind="${kind}".*\\} 0$`, 'm').test(metrics),
        );
      },
    );
    events.disconnect();

    const value = (name: string, ...labels: string[]) =>
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
        ?.split(' ')[1];
    const messages = 'http_route="/api/conversations/:uuid/messages"';
    const requests = 'http_server_request_duration_count';
    assert.equal(value(requests, messages, 'http_response_status_code="200"'), '1', metrics);
    assert.equal(value(requests, 'http_response_status_code="404"'), '1', metrics);
    assert.equal(value('chat_replies_total', 'outcome="answered"'), '1', metrics);
    assert.equal(value('chat_reply_time_to_first_token_count'), '1', metrics);
    assert.equal(value('chat_money_total', 'kind="charge"'), '0.01', metrics);
    assert.equal(value('chat_streams_open', 'http_route="/api/conversations/:uuid/events"'), '1', metrics);
    assert.equal(value('chat_queue_depth', 'queue="process-document"'), '0', metrics);
    assert.ok(!metrics.includes(conversation));

    for (const file of ['dashboard.json', 'alerts.yml']) {
      const content = await readFile(join(repository, 'docs/monitoring', file), 'utf8');
      const used = new Set(content.match(/\b(?:http_server|chat)_\w+/g));
      assert.ok(used.size > 2, file);
      assert.deepEqual(
        [...used].filter((name) => !metrics.includes(`\n${name}{`)),
        [],
        file,
      );
    }
    assert.equal((await service.get('/metrics')).status, 404);
    await service.stop();
  });

  it('has the background jobs that are due, also if no process runs jobs', async () => {
    const port = String(await freePort());
    const service = await startServiceProcess({
      ...(await copyDatabase(env)),
      ...{ WORKERS: 'off', OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: port },
    });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, /^chat_queue_depth\{.*queue="hang-up".*\} 1$/m);
    await service.stop();
  });
});

describe('while PostgreSQL does not respond', { skip: testDatabase === 'pglite' }, () => {
  it('/metrics still answers before Prometheus gives up', async () => {
    const port = String(await freePort());
    const proxy = await startSilentProxy(String((await copyDatabase(env))['DATABASE_URL']));
    const service = await startServiceProcess({
      ...{ DATABASE_URL: proxy.url, OTEL_METRICS_EXPORTER: 'prometheus' },
      OTEL_EXPORTER_PROMETHEUS_PORT: port,
    });
    const scrape = async () => {
      // The default `scrape_timeout`.
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
        signal: AbortSignal.timeout(10_000),
      });
      return response.text();
    };
    await service.get('/api/conversations/00000000-0000-4000-8000-000000000000');
    assert.match(await scrape(), /^chat_queue_depth\{/m);
    proxy.fallSilent(false);
    for (const metrics of [await scrape(), await scrape()])
      assert.match(metrics, /^http_server_request_duration_count\{/m);
    service.signal('SIGKILL');
    await service.child.ended;
    await proxy.close();
  });
});

describe('exporters that cannot work', () => {
  it('are in the log if the port of the metrics is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    atEnd(async () => {
      taken.close();
      await once(taken, 'close');
    });
    const { port } = taken.address() as AddressInfo;
    const service = await startServiceProcess({
      ...(await copyDatabase(env)),
      ...{ OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: String(port) },
    });
    await eventually(
      () => `the log of the port in ${service.child.output()}`,
      () =>
        service.child
          .output()
          .includes(`telemetry: Error: listen EADDRINUSE: address already in use 127.0.0.1:${port}`),
    );
    await service.stop();
  });

  it('are refused if they do not exist', async () => {
    const child = startChildProcess(process.execPath, [join(repository, 'src/service/main.ts')], {
      cwd: repository,
      env: { ...env, PORT: '0', OTEL_METRICS_EXPORTER: 'otlp,promethius' },
    });
    assert.equal(await child.ended, 1);
    assert.equal(
      child.output(),
      'OTEL_METRICS_EXPORTER must be otlp, prometheus, console, none: "promethius" is not.\n',
    );
  });
});

describe('of several processes', { skip: testDatabase === 'pglite' && 'needs a PostgreSQL server' }, () => {
  it('the process that takes over a reply of a killed process counts it', async () => {
    const model = await startModelServer();
    atEnd(() => model.close());
    const port = String(await freePort());
    const shared = { ...(await copyDatabase(env)), LLM_BASE_URL: model.url, REPLY_LEASE_SECONDS: '1' };
    const [killed, other] = [
      await startServiceProcess(shared),
      await startServiceProcess({
        ...shared,
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_PORT: port,
      }),
    ];
    model.behave({ hang: true });
    const conversation = await killed.open(uuid, { type: 'test' });
    const sent = killed.send(conversation, 'Hello').catch(() => undefined);
    await model.received(1);
    killed.signal('SIGKILL');
    await sent;
    const isCounted = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^chat_leases_taken_over_total\{.*kind="reply".*\} 1$/m.test(metrics);
    };
    await eventually('the reply to be taken over', isCounted);
    await other.stop();
  });

  it('a call of a killed process is counted, and one that the carrier did not report is not', async () => {
    const shared = await copyDatabase(env);
    const client = new pg.Client(String(shared['DATABASE_URL']));
    await client.connect();
    atEnd(() => client.end());
    await client.query(`
      INSERT INTO calls (user_id, assistant_name, type, status, lease_owner, lease_until)
      SELECT users.id, 'A', 'outbound', 'in-progress', owner, now() - interval '1 hour'
      FROM users, unnest(ARRAY[gen_random_uuid(), NULL]) AS owner`);
    const port = String(await freePort());
    const service = await startServiceProcess({
      ...shared,
      ...{ OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: port },
      REPLY_LEASE_SECONDS: '1',
    });
    await eventually('both calls to be ended', async () => {
      const { rows } = await client.query("SELECT 1 FROM calls WHERE status = 'failed'");
      return rows.length === 2;
    });
    const isCounted = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^chat_leases_taken_over_total\{.*kind="call".*\} 1$/m.test(metrics);
    };
    await eventually('the call of the killed process to be counted', isCounted);
    await service.stop();
  });
});

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('sends traces that continue those of the caller, without conversation UUIDs', async () => {
    const bodies = new Map<string, string[]>();
    const collector = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.set(request.url ?? '', [...(bodies.get(request.url ?? '') ?? []), body]);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    atEnd(async () => {
      collector.close();
      collector.closeAllConnections();
      await once(collector, 'close');
    });
    const { port } = collector.address() as AddressInfo;
    const service = await startServiceProcess({
      ...(await copyDatabase(env)),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    const conversation = await service.open(uuid, { type: 'test' });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await service.send(conversation, 'Hello', { traceparent });
    service.signal('SIGTERM');
    await service.child.ended;
    const traces = bodies.get('/v1/traces')?.join('') ?? '';
    assert.match(traces, /"POST \/api\/conversations\/:uuid\/messages"/);
    assert.match(traces, /0af7651916cd43dd8448eb211c80319c/);
    assert.match(traces, /voice-assistant-chat-service/);
    assert.ok(!traces.includes(conversation));
    assert.match(bodies.get('/v1/metrics')?.join('') ?? '', /chat\.replies/);
  });
});

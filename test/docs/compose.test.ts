import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '../../src/service/config.ts';
import { settings } from '../../src/service/settings.ts';
import { repository } from '../support/repository.ts';
import { Document } from './document.ts';

interface Service {
  environment?: Record<string, string | number>;
  env_file?: string | string[];
  ports?: string[];
  extra_hosts?: string[];
  healthcheck?: { test: string[] };
}

const { services, networks } = parse(readFileSync(join(repository, 'compose.yaml'), 'utf8')) as {
  services: { chat: Service; database: Service };
  networks?: { default?: { enable_ipv6?: boolean } };
};
const { chat, database } = services;

/** Settings that the file itself decides. */
const fixed = ['HOST', 'PORT', 'DATA_DIR', 'OTEL_EXPORTER_PROMETHEUS_HOST', 'OTEL_EXPORTER_PROMETHEUS_PORT'];

/** Replaces variables as Compose does, also in defaults. */
function resolve(text: string, env: Record<string, string>): string {
  const resolved = text.replace(
    /\$\{(\w+)(?::[-?]([^${}]*))?\}/g,
    (_, name: string, fallback = '') => env[name] ?? String(fallback),
  );
  return resolved === text ? text : resolve(resolved, env);
}

/** The environment of the service's container with a file `.env`. */
function environment(env: Record<string, string>): Record<string, string> {
  const own = Object.entries(chat.environment ?? {}).map(([name, value]) => [
    name,
    resolve(String(value), env),
  ]);
  return { ...([chat.env_file].flat().includes('.env') && env), ...(Object.fromEntries(own) as typeof env) };
}

const required = { DOMAIN: 'chat.example.com', POSTGRES_PASSWORD: 'password', SECRET_KEYS: 'keys' };

/** Host ports and container ports of the service, without addresses. */
const portsWith = (env: Record<string, string>) => (chat.ports ?? []).map((port) => resolve(port, env));

describe('compose.yaml', () => {
  it('passes every setting in .env to the service', () => {
    for (const name of [...Object.keys(settings), 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_METRICS_EXPORTER']) {
      if (fixed.includes(name)) continue;
      assert.equal(environment({ ...required, [name]: 'a value' })[name], 'a value', name);
    }
  });

  it('passes the addresses of IPv6 visitors to the proxy: Docker would replace them in a network without IPv6', () => {
    assert.equal(networks?.default?.enable_ipv6, true);
  });

  it('decides itself where the service listens and stores its data, as documented', () => {
    const page = new Document('docs/self-hosting.md').section('Docker Compose');
    for (const name of fixed) {
      const value = environment({ ...required, [name]: 'a value' })[name] ?? '';
      assert.ok(value !== '' && value !== 'a value', name);
      assert.ok(page.includes(name), name);
    }
  });

  it('starts the service only when the database accepts connections over the network', () => {
    assert.match(database.healthcheck?.test.join(' ') ?? '', /^CMD pg_isready --host 127\.0\.0\.1 /);
  });

  it('gives the machine a name, for a model that runs on it, as documented', () => {
    const [name = ''] = chat.extra_hosts?.[0]?.split(':host-gateway') ?? [];
    const page = new Document('docs/self-hosting.md').section('Docker Compose');
    assert.ok(page.includes(`http://${name}:11434/v1`), name);
  });

  it('connects the service with its own database and proxy by default', () => {
    const { DATABASE_URL, PUBLIC_URL, TRUST_PROXY } = environment(required);
    assert.deepEqual(
      { DATABASE_URL, PUBLIC_URL, TRUST_PROXY },
      {
        DATABASE_URL: 'postgres://chat:password@database/chat',
        PUBLIC_URL: 'https://chat.example.com',
        TRUST_PROXY: '1',
      },
    );
  });

  it('publishes the UDP ports of web calls', () => {
    for (const [env, range] of [
      [required, '40000-40029'],
      [{ ...required, VOICE_UDP_PORTS: '50000-50009' }, '50000-50009'],
    ] as const) {
      assert.equal(environment(env)['VOICE_UDP_PORTS'], range);
      assert.ok(portsWith(env).includes(`${range}:${range}/udp`));
    }
  });

  it('publishes the metrics to the machine alone', () => {
    const { OTEL_EXPORTER_PROMETHEUS_HOST: host, OTEL_EXPORTER_PROMETHEUS_PORT: port = '' } =
      environment(required);
    assert.equal(host, '0.0.0.0');
    assert.ok(portsWith(required).includes(`127.0.0.1:${port}:${port}`));
  });
});

describe('every documented way to run the service', () => {
  it('gives it longer to stop than SHUTDOWN_SECONDS by default', () => {
    const read = (path: string) => readFileSync(join(repository, path), 'utf8');
    const { shutdownMs } = readConfig({});
    for (const [path, pattern] of [
      ['compose.yaml', /stop_grace_period: (\d+)s$/m],
      ['docs/deploy/voice-assistant-chat.service', /^TimeoutStopSec=(\d+)$/m],
      ['docs/self-hosting.md', /^docker run (?:.*\\\n)?.*--stop-timeout (\d+) /m],
    ] as const) {
      const seconds = Number(pattern.exec(read(path))?.[1]);
      assert.ok(seconds * 1000 > shutdownMs, path);
    }
  });
});

describe('the backup of the database in Docker Compose', () => {
  it('uses the names in compose.yaml', () => {
    const { POSTGRES_USER: user, POSTGRES_DB: name } = database.environment ?? {};
    const text = readFileSync(join(repository, 'docs/self-hosting.md'), 'utf8');
    const commands = text.replaceAll(/\\\n +/g, '').match(/^docker compose exec database pg_\w+ .*$/gm);
    assert.deepEqual(commands, [
      `docker compose exec database pg_dump --username ${String(user)} --format=custom --file=/tmp/chat.dump ${String(name)}`,
      `docker compose exec database pg_restore --exit-on-error --single-transaction --username ${String(user)} --dbname ${String(name)} /tmp/chat.dump`,
    ]);
  });
});

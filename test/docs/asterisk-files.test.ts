import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '../../src/service/config.ts';
import { repository } from '../support/repository.ts';

interface Service {
  profiles?: string[];
  environment?: Record<string, string>;
  configs?: { source: string; target: string }[];
  volumes?: (string | { source: string; target: string })[];
  ports?: string[];
}

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const compose = parse(read('compose.yaml')) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
  volumes: Record<string, null>;
};

/** The configuration of the service with the documented settings. */
const { asterisk } = readConfig({
  CARRIER: 'asterisk',
  ASTERISK_URL: 'http://127.0.0.1:8088',
  ASTERISK_PASSWORD: 'change-me',
  ASTERISK_PHONE_NUMBER: '+4930123456',
}).carrier;

describe('the files for Asterisk', () => {
  it('have the user, the password and the application that the service uses by default', () => {
    const user = `[${asterisk?.user ?? ''}]\ntype = user\npassword = `;
    assert(read('docs/asterisk/ari.conf').includes(`${user}change-me`));
    assert(compose.configs['asterisk-ari']?.content.includes(`${user}\${ASTERISK_PASSWORD:-}`));
    assert(read('docs/asterisk/extensions.conf').includes(`Stasis(${asterisk?.application ?? ''})`));
  });
});

describe('compose.yaml', () => {
  const { chat, asterisk: pbx } = compose.services;

  it('starts Asterisk only on request, and publishes no port for its requests', () => {
    assert.deepEqual(pbx?.profiles, ['asterisk']);
    // In .env, so that the commands that update and restore the service include it.
    assert.match(read('docs/asterisk.md'), /^ *COMPOSE_PROFILES=asterisk$/m);
    assert.deepEqual(
      pbx.ports?.filter((port) => !port.endsWith('/udp')),
      [],
    );
    assert.equal(chat?.environment?.['ASTERISK_URL'], '${ASTERISK_URL:-http://asterisk:8088}');
    assert.match(compose.configs['asterisk-http']?.content ?? '', /bindport = 8088/);
  });

  it('publishes the ports of the audio', () => {
    const [, from, to] =
      /rtpstart = (\d+)\s+rtpend = (\d+)/.exec(compose.configs['asterisk-rtp']?.content ?? '') ?? [];
    const range = `${from ?? ''}-${to ?? ''}`;
    assert(pbx?.ports?.includes(`${range}:${range}/udp`));
  });

  it('takes the files with passwords from a folder that neither Git nor an image contains', () => {
    const own = (pbx?.volumes ?? []).filter((volume) => typeof volume !== 'string');
    assert.deepEqual(
      own.map(({ source, target }) => [source, target]),
      ['pjsip.conf', 'extensions.conf'].map((name) => [`./asterisk/${name}`, `/etc/asterisk/${name}`]),
    );
    for (const { source } of own) assert(existsSync(join(repository, 'docs', source)), source);
    assert(read('.gitignore').split('\n').includes('/asterisk/'));
    assert(read('.dockerignore').split('\n').includes('/asterisk'));
  });

  it('mounts files, configurations and volumes that exist', () => {
    for (const { configs = [], volumes = [] } of Object.values(compose.services)) {
      for (const { source } of configs) assert(source in compose.configs, source);
      for (const volume of volumes) {
        if (typeof volume !== 'string') continue;
        const [source = ''] = volume.split(':');
        assert(
          source.startsWith('./') ? existsSync(join(repository, source)) : source in compose.volumes,
          source,
        );
      }
    }
  });
});

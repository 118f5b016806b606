import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { freePort } from '../support/process/free-port.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { audit } from './audit.ts';

describe('every dependency', () => {
  it('has no known vulnerability of high severity', async (context) => {
    const result = await audit();
    if ('unanswered' in result) {
      context.skip(`the registry could not be asked for vulnerabilities: ${result.unanswered}`);
      return;
    }
    assert.deepEqual(result.vulnerabilities, []);
  });
});

describe('the check for vulnerabilities', async () => {
  const advisory = (id: number, severity: string) => [
    {
      ...{ id, severity, title: `Flaw ${id}`, url: `https://advisories.example/${id}` },
      ...{ vulnerable_versions: '<1000', cwe: [], cvss: { score: 0, vectorString: null } },
    },
  ];
  const registry = await startLoopbackServer(({ path }, response) => {
    if (path.endsWith('/advisories/bulk') && !path.startsWith('/without')) {
      return {
        hono: advisory(1, 'high'),
        pino: advisory(2, 'moderate'),
        prettier: advisory(3, 'critical'),
        'eventsource-parser': advisory(4, 'critical'),
      };
    }
    response.statusCode = path.startsWith('/without') ? 405 : 404;
    return {};
  });
  after(() => registry.close());

  it('finds those of high and critical severity in packages that are shipped or run', async () => {
    const result = await audit({ npm_config_registry: registry.url });
    assert.deepEqual(result, {
      vulnerabilities: [
        'eventsource-parser: critical: Flaw 4 (https://advisories.example/4)',
        'hono: high: Flaw 1 (https://advisories.example/1)',
      ],
    });
  });

  const unanswered: [description: string, registry: string, reason: string][] = [
    ['offers no such check', `${registry.url}/without`, 'it responded with 405'],
    ['cannot be reached', `http://127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
  ];
  for (const [description, url, reason] of unanswered) {
    it(`reports why it has no answer if the registry ${description}, without its address`, async () => {
      assert.deepEqual(await audit({ npm_config_registry: url }), { unanswered: reason });
    });
  }
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { installNode } from '../deployment/installed-service.ts';
import { packageJson } from '../docs/package-json.ts';
import { siteWithPackage } from './installed-package.ts';

const run = promisify(execFile);

/** A version of the oldest major one that the package names; the last ones are the ones in use. */
const version = '20.19.5';

describe(`Node ${version}`, () => {
  const site = siteWithPackage(['react', 'react-dom', 'scheduler']);
  after(() => {
    site.remove();
  });

  it('imports every entry point, and renders the React component', async () => {
    assert.equal(packageJson.engines.node, `>=${version.split('.')[0] ?? ''}`);
    const script = site.write(
      'main.js',
      `import 'voice-assistant-chat';
       import { VoiceAssistantChat } from 'voice-assistant-chat/element';
       import { ChatClient } from 'voice-assistant-chat/client';
       import { createApiClient } from 'voice-assistant-chat/api';
       import { VoiceAssistantChat as Component } from 'voice-assistant-chat/react';
       import { createElement } from 'react';
       import { renderToString } from 'react-dom/server';
       const html = renderToString(createElement(Component, { assistantId: 'x', keepDays: 7 }));
       const kinds = [VoiceAssistantChat, ChatClient, createApiClient].map((each) => typeof each);
       console.log(JSON.stringify([process.version, kinds, html]));`,
    );
    const { stdout, stderr } = await run(await installNode(version), [script]);
    assert.equal(stderr, '');
    const [node, kinds, html] = JSON.parse(stdout) as [string, string[], string];
    assert.equal(node, `v${version}`);
    assert.deepEqual(kinds, ['function', 'function', 'function']);
    assert.match(html, /<voice-assistant-chat [^>]*keep-days="7"/);
  });
});

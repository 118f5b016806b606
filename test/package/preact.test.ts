import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import { chromium, type Browser } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { siteWithPackage } from './installed-package.ts';

const executable = findEngines(['chromium']).find((engine) => engine.name === 'chromium');

const main = `import 'voice-assistant-chat';
import { h, render } from 'preact';
import { useState } from 'preact/hooks';

function App() {
  const [opened, setOpened] = useState(0);
  const [name, setName] = useState('Ada');
  return h('main', null,
    h('output', null, String(opened)),
    h('button', { id: 'rename', onClick: () => setName('Grace') }, 'Rename'),
    h('voice-assistant-chat', {
      'assistant-id': '0b9d6f6e-0000-4000-8000-000000000000', 'base-url': 'https://service.invalid', preload: 'none',
      variables: { first_name: name }, suggestions: ['Hello'],
      'onchat-open': () => setOpened((count) => count + 1),
    }));
}
render(h(App), document.body);
`;

describe('the element in Preact', { skip: executable ? false : 'needs Chromium' }, () => {
  const site = siteWithPackage(['preact']);
  let browser: Browser;
  before(async () => {
    assert.ok(executable);
    browser = await chromium.launch({ executablePath: executable.executablePath, args: executable.args });
  });
  after(async () => {
    await browser.close();
    site.remove();
  });

  it('receives objects as properties, also changed ones, and its events are received', async () => {
    site.write('main.js', main);
    const { outputFiles } = await build({
      entryPoints: [join(site.folder, 'main.js')],
      bundle: true,
      write: false,
      format: 'iife',
      logLevel: 'silent',
    });
    const page = await browser.newPage();
    await page.route('**/*', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><html lang="en"><title>A site</title>',
      }),
    );
    await page.goto('http://site.invalid/');
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
    const chat = page.locator('voice-assistant-chat');
    const values = () =>
      chat.evaluate((element) => {
        const { variables, suggestions } = element as HTMLElementTagNameMap['voice-assistant-chat'];
        return { variables, suggestions };
      });
    assert.deepEqual(await values(), { variables: { first_name: 'Ada' }, suggestions: ['Hello'] });
    await chat.evaluate((element) => {
      element.setAttribute('open', '');
    });
    await page.locator('output', { hasText: '1' }).waitFor();
    await page.locator('#rename').click();
    await page.waitForFunction(
      () =>
        JSON.stringify(document.querySelector('voice-assistant-chat')?.variables) ===
        '{"first_name":"Grace"}',
    );
    await page.close();
  });
});

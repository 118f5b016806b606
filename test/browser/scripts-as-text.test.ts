import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { scriptAnswer } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

/** Set by a script that runs. */
const target = window as unknown as { scriptsRun: number };

const run = 'top.scriptsRun++';
const html = [
  `<script>${run}</script>`,
  `<img src=x onerror=${run}>`,
  `<svg onload=${run}>`,
  `<svg><script>${run}</script></svg>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>${run}</script>"></iframe>`,
  `<iframe src="javascript:${run}"></iframe>`,
  `<object data="javascript:${run}"></object>`,
  `<embed src="javascript:${run}">`,
  `<details open ontoggle=${run}><summary>x</summary></details>`,
  `<input autofocus onfocus=${run}>`,
  `<video><source onerror=${run}></video>`,
  `<body onload=${run}>`,
  `<form action="javascript:${run}"><button>x</button></form>`,
  `<meta http-equiv=refresh content="0;url=javascript:${run}">`,
  `<template shadowrootmode=open><script>${run}</script></template>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${run}&gt;">`,
  `<a href="javascript:${run}">x</a>`,
  `<style>@import 'javascript:${run}'</style>`,
  `"><img src=x onerror=${run}>`,
  `--><script>${run}</script>`,
  `&lt;script&gt;${run}&lt;/script&gt;`,
];
const contexts: ((text: string) => string)[] = [
  (text) => text,
  (text) => `- ${text}`,
  (text) => `> ${text}`,
  (text) => `# ${text}`,
  (text) => `**${text}**`,
  (text) => `| a | b |\n|---|---|\n| ${text.replaceAll('|', '')} | c |`,
  (text) => `\`${text}\``,
  (text) => `\`\`\`html\n${text}\n\`\`\``,
  (text) => `[${text}](https://example.com "${text.replaceAll('"', "'")}")`,
  (text) => `![${text}](https://example.com/x.png)`,
];
const urls = [
  `javascript:${run}`,
  `JaVaScRiPt:${run}`,
  ` javascript:${run}`,
  `java\tscript:${run}`,
  `java&#10;script:${run}`,
  `&#106;avascript:${run}`,
  `\u0001javascript:${run}`,
  `data:text/html,<script>${run}</script>`,
  `data:image/svg+xml,<svg onload=${run}>`,
  `vbscript:${run}`,
  `blob:${location.origin}/x`,
  `https://example.com" onmouseover="${run}`,
];
const answers = [
  ...contexts.map((context) => html.map(context).join('\n\n')),
  urls
    .flatMap((url) => [`[a](${url})`, `[a](<${url}>)`, `![a](${url})`, `<${url}>`, `[a][r]\n\n[r]: ${url}`])
    .join('\n\n'),
];

/** Cuts within tags, attributes and markup. */
const inChunks = (text: string) => text.match(/[^]{1,11}/g) ?? [];

const harmful =
  'script, iframe, frame, object, embed, style, link, meta, base, form, template, video, audio, math, details';

describe('scripts in answers', () => {
  beforeEach(() => {
    target.scriptsRun = 0;
  });
  afterEach(unmountAll);

  it(`are text, in ${answers.length} answers of ${html.length} kinds of HTML and ${urls.length} URLs`, async () => {
    // As HTML, they would run.
    const control = document.createElement('div');
    control.innerHTML = html[1] ?? '';
    document.body.append(control);
    await until(() => target.scriptsRun > 0, 'the script of the control');
    control.remove();
    target.scriptsRun = 0;

    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('greeting'),
      'allow-images': 'https://example.com',
    });
    await chat.open();
    for (const [index, text] of answers.entries()) {
      await chat.ask((await scriptAnswer({ chunks: inChunks(text) })).question);
      await chat.answered(index + 2);
    }
    const markdown = chat.findAll('.markdown');
    expect(markdown.length).to.be.at.least(answers.length);
    for (const answer of markdown) {
      expect(answer.querySelectorAll(harmful).length).to.equal(0);
      for (const element of answer.querySelectorAll('*')) {
        for (const { name, value } of element.attributes) {
          expect(name).not.to.match(/^on/i);
          if (/^(href|src|srcset|action|formaction|xlink:href)$/.test(name))
            expect(value).to.match(/^(https?|mailto|tel):/);
        }
      }
    }
    // The visitor sees what the answer contains.
    expect(chat.messages.join().split(run).length).to.be.greaterThan(html.length * (contexts.length - 2));
    expect(target.scriptsRun).to.equal(0);
  });
});

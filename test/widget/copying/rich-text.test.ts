import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { richLines, richText, withDirection } from '../../../src/widget/panel/copying/rich-text.ts';
import { answerBlocks } from '../../../src/widget/panel/markdown/answer-blocks.ts';

function rich(markdown: string): string {
  const answer = answerBlocks('', markdown, false);
  assert.ok(answer);
  return richText(answer.blocks);
}

describe('an answer as HTML', () => {
  it('has the elements that mail and word processors support', () => {
    assert.equal(
      rich('# Hours\n\n**Open** at\n*nine*\n\n3. a\n   - b\n4. c\n\n> q\n\n---\n\n    code'),
      '<h3>Hours</h3><p><strong>Open</strong> at<br><em>nine</em></p>' +
        '<ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>' +
        '<blockquote><p>q</p></blockquote><hr><pre dir="ltr"><code>code</code></pre>',
    );
    assert.equal(rich('0. zero\n1. one'), '<ol start="0"><li>zero</li><li>one</li></ol>');
    assert.equal(
      rich('| a | b |\n|--|--|\n| 1 | ~~2~~ |'),
      '<table><thead><tr><th>a</th><th>b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td><del>2</del></td></tr></tbody></table>',
    );
  });

  it('escapes markup of an answer', () => {
    for (const markdown of [
      '<img src=x onerror=alert(1)>',
      'a <b onclick="x">b</b>',
      '`<script>`',
      '```\n</code><script>\n```',
      '&lt;script&gt;',
      '[<b>](https://example.com/"onclick="x)',
      '![<b>"](https://example.com/"><b>)',
      '| <b> |\n|--|\n| <i> |',
    ]) {
      const html = rich(markdown);
      const tags = html.match(/<[^>]*>/g) ?? [];
      for (const tag of tags)
        assert.match(
          tag,
          /^<\/?(?:p|pre|code|a|table|thead|tbody|tr|th|td)(?: dir="ltr"| href="https:[^"<>]*")?>$/,
          html,
        );
    }
    assert.equal(richLines('a < b\nc\n\n"d" & e'), '<p>a &#60; b<br>c</p><p>&#34;d&#34; &#38; e</p>');
  });

  it('has links to safe addresses only, and images as links', () => {
    assert.equal(rich('[a](javascript:alert(1)) [b](/c)'), '<p>a b</p>');
    assert.equal(
      rich('![A bag](https://example.com/bag.png)'),
      '<p><a href="https://example.com/bag.png">A bag</a></p>',
    );
  });

  it('has a direction if it is written from right to left', () => {
    assert.equal(withDirection('<p>1. שלום</p>', '1. שלום'), '<div dir="rtl"><p>1. שלום</p></div>');
    assert.equal(withDirection('<p>مرحبا</p>', 'مرحبا'), '<div dir="rtl"><p>مرحبا</p></div>');
    assert.equal(withDirection('<p>Hello שלום</p>', 'Hello שלום'), '<p>Hello שלום</p>');
  });
});

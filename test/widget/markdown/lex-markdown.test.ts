import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { richText } from '../../../src/widget/panel/copying/rich-text.ts';
import { lexMarkdown } from '../../../src/widget/panel/markdown/lex-markdown.ts';

function html(markdown: string): string {
  return richText(lexMarkdown(markdown));
}

function link(href: string, text = href): string {
  return `<a href="${href}">${text}</a>`;
}

describe('a bare address', () => {
  for (const [before, after] of [
    ['详见 ', '。谢谢'],
    ['请访问：', '，然后点击'],
    ['詳しくは', 'をご覧ください。'],
    ['詳しくは', 'カタログへ'],
    ['자세한 내용은 ', '에서 확인하세요'],
    ['“', '”'],
    ['„', '“.'],
    ['«', '».'],
    ['(see ', ').'],
    ['زوروا ', '، ثم'],
    ['देखें ', '।'],
    ['See ', '—it is free.'],
    ['See ', '… or'],
    ['See ', '🎉'],
    ['', '）。'],
  ] as const)
    it(`ends before ${JSON.stringify(after)}`, () => {
      for (const address of ['https://example.com/help', 'https://example.com/a?b=c#d_e'])
        assert.equal(html(before + address + after), `<p>${before}${link(address)}${after}</p>`);
    });

  it('may start with www', () => {
    assert.equal(
      html('详见 www.example.com。谢谢'),
      `<p>详见 ${link('http://www.example.com/', 'www.example.com')}。谢谢</p>`,
    );
  });

  it('may have letters of other alphabets', () => {
    for (const [address, href] of [
      ['https://www.пример.рф/путь', 'https://www.xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C'],
      ['https://www.مثال.com', 'https://www.xn--mgbh0fb.com/'],
      ['https://example.com/größe–maß', 'https://example.com/gr%C3%B6%C3%9Fe%E2%80%93ma%C3%9F'],
    ] as const)
      assert.equal(html(`(${address}).`), `<p>(${link(href, address)}).</p>`);
  });

  it('may have any character in a link with a text or in angle brackets', () => {
    const href = 'https://example.com/%E6%9D%B1%E4%BA%AC';
    assert.equal(html('[東京](https://example.com/東京)'), `<p>${link(href, '東京')}</p>`);
    assert.equal(html('<https://example.com/東京>'), `<p>${link(href, 'https://example.com/東京')}</p>`);
  });
});

describe('a tilde', () => {
  it('strikes text through only if it is doubled', () => {
    for (const text of [
      '営業時間は9:00~12:00、13:00~18:00',
      '10~20달러, 30~40달러',
      'It costs ~5 to ~7 dollars (~6)',
      '~one~',
    ])
      assert.equal(html(text), `<p>${text}</p>`);
    assert.equal(html('~5 or ~~6~~ or ~7'), '<p>~5 or <del>6</del> or ~7</p>');
    assert.equal(html('~~5~6~~'), '<p><del>5~6</del></p>');
  });
});

describe('a definition', () => {
  it('gives a link its address', () => {
    const href = 'https://example.com/';
    assert.equal(
      html(`See [the map][map].\n\n[map]: <${href}> "Map"`),
      `<p>See ${link(href, 'the map')}.</p>`,
    );
    assert.equal(
      html('Write to [us].\n\n[us]: mailto:a@example.com'),
      `<p>Write to ${link('mailto:a@example.com', 'us')}.</p>`,
    );
  });

  it('is text if it has no address that a link may have', () => {
    assert.equal(html('[Order]: 12345\n[Status]: shipped'), '<p>[Order]: 12345<br>[Status]: shipped</p>');
    assert.equal(
      html('The [Status] is:\n\n[Status]: shipped'),
      '<p>The [Status] is:</p><p>[Status]: shipped</p>',
    );
  });

  for (const definition of [
    '[1]: /docs/x "Docs"',
    '[1]: <data:image/png;base64,iVBORw0KGgo=>',
    '[1]: data:image/png;base64,iVBORw0KGgo=',
    '[//]: # (a comment)',
  ])
    it(`is not shown if it is one of a page, an image or a comment: ${definition}`, () => {
      assert.equal(html(`Hello\n\n${definition}`), '<p>Hello</p>');
    });
});

describe('a <br> tag', () => {
  it('breaks the line', () => {
    assert.equal(html('a<br>b<BR />c'), '<p>a<br>b<br>c</p>');
    assert.equal(html('a<br>\nb'), '<p>a<br>b</p>');
    assert.equal(
      html('| a |\n|---|\n| x<br/>y |'),
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>x<br>y</td></tr></tbody></table>',
    );
    assert.equal(html('`<br>`'), '<p><code dir="ltr">&#60;br&#62;</code></p>');
  });

  it('breaks the line before Markdown', () => {
    assert.equal(html('a\n\n<br>\n**b**'), '<p>a</p><p><br><strong>b</strong></p>');
    assert.equal(html('  <br>\n**b**'), '<p><br><strong>b</strong></p>');
  });
});

describe('bold and italics next to Chinese, Japanese and Korean', () => {
  for (const [markdown, shown] of [
    ['これは**「重要」**です。', 'これは<strong>「重要」</strong>です。'],
    ['이것은 **중요(매우)**입니다', '이것은 <strong>중요(매우)</strong>입니다'],
    ['这是**“重要”**的，也是**(急)**的', '这是<strong>“重要”</strong>的，也是<strong>(急)</strong>的'],
    ['**注意：**请先登录', '<strong>注意：</strong>请先登录'],
    ['你好*「重要」*的', '你好<em>「重要」</em>的'],
    ['一***「二」***三', '一<em><strong>「二」</strong></em>三'],
    ['**请看（*重点*）内容**', '<strong>请看（<em>重点</em>）内容</strong>'],
    ['*（注）**重要**です*', '<em>（注）<strong>重要</strong>です</em>'],
    ['「あ」**重要**「い」**大切**です', '「あ」<strong>重要</strong>「い」<strong>大切</strong>です'],
    ['サーバー**「停止」**です', 'サーバー<strong>「停止」</strong>です'],
    ['ユーザー**（管理者）**は', 'ユーザー<strong>（管理者）</strong>は'],
    ['ご**（注）**ーと', 'ご<strong>（注）</strong>ーと'],
    ['𠮷**「重要」**です', '𠮷<strong>「重要」</strong>です'],
    ['👍**「重要」**です', '👍<strong>「重要」</strong>です'],
    ['👍**(Great)** and', '👍<strong>(Great)</strong> and'],
    ['使用**快速**API和**API**快速', '使用<strong>快速</strong>API和<strong>API</strong>快速'],
    ['**重要**。**次**、', '<strong>重要</strong>。<strong>次</strong>、'],
    ['**「𠮷」**𠮷 **b**', '<strong>「𠮷」</strong>𠮷 <strong>b</strong>'],
    ['`あ）*い` あ）*い', '<code dir="ltr">あ）*い</code> あ）*い'],
    ['価格（税込）*別', '価格（税込）*別'],
    ['変数_「あ」_名', '変数_「あ」_名'],
    ['a**"b"**c', 'a**&#34;b&#34;**c'],
  ] as const)
    it(`are as expected in ${markdown}`, () => {
      assert.equal(html(markdown), `<p>${shown}</p>`);
    });
});

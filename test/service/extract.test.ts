import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extract } from '../../src/service/knowledge/extract/extract.ts';
import { makePdf } from '../support/records/documents.ts';

describe('a PDF', () => {
  const read = async (page: string) => {
    const { chunks } = await extract({ type: 'pdf', name: 'D', bytes: makePdf([page]) });
    return chunks.map(({ body }) => body).join('\n\n');
  };

  test('has whole words where it breaks them at the ends of lines', async () => {
    assert.equal(
      await read('Returning costs ship-\nping, pack\u2010\nages more.'),
      'Returning costs shipping, packages more.',
    );
  });

  test('keeps the other hyphens at the ends of lines', async () => {
    const text = 'Kunden-\nService und Liefer-\noder Montagekosten: 10-\n20 Euro -\nje Paket';
    assert.equal(await read(text), text);
  });

  test('keeps lines that would be headings in Markdown as text', async () => {
    const { chunks } = await extract({
      type: 'pdf',
      name: 'D',
      bytes: makePdf(['# 12\nOpen 9 to 18\n-----\nPhone: 123\n===\nParking']),
    });
    assert.deepEqual(chunks, [
      { heading: 'D', body: '\\# 12\nOpen 9 to 18\n\\-----\nPhone: 123\n\\===\nParking' },
    ]);
  });

  for (const [encoding, collection, codes, text] of [
    ['UniJIS-UCS2-H', 'Japan1', '55b6696d66429593', '営業時間'],
    ['90ms-RKSJ-H', 'Japan1', '89638BC68E9E8AD4', '営業時間'],
    ['UniGB-UCS2-H', 'GB1', '84254e1a65f695f4', '营业时间'],
    ['KSCms-UHC-H', 'Korea1', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
  ] as const) {
    test(`has its text in the predefined encoding ${encoding}`, async () => {
      // A font that is not embedded: its reader has to know the encoding.
      const font = `<< /Type /Font /Subtype /Type0 /BaseFont /F /Encoding /${encoding} /DescendantFonts [
        << /Type /Font /Subtype /CIDFontType0 /BaseFont /F
        /CIDSystemInfo << /Registry (Adobe) /Ordering (${collection}) /Supplement 2 >>
        /FontDescriptor << /Type /FontDescriptor /FontName /F /Flags 4 >> >> ] >>`;
      const bytes = makePdf([Buffer.from(codes, 'hex').toString('latin1')], { font });
      const { chunks } = await extract({ type: 'pdf', name: 'D', bytes });
      assert.deepEqual(chunks, [{ heading: 'D', body: text }]);
    });
  }
});

describe('a page', () => {
  const url = 'https://shop.example/';
  const read = async (html: string) => {
    const bytes = new TextEncoder().encode(html);
    const { chunks, links } = await extract({
      type: 'page',
      name: 'D',
      bytes,
      contentType: 'text/html',
      robots: '',
      url,
    });
    return { text: chunks.map(({ heading, body }) => `${heading}: ${body}`).join('\n'), links };
  };

  test('has its title and the headings above in each heading, as an article, too', async () => {
    for (const text of [
      '189 euros.',
      `189 euros. ${'We ship it within two days, to your door. '.repeat(8)}`.trim(),
    ]) {
      const html = `<title>Trail Boot | Shop</title><main><h1>Boot for trails</h1><h2>Price</h2><p>${text}</p></main>`;
      assert.equal((await read(html)).text, `Trail Boot | Shop › Boot for trails › Price: ${text}`);
    }
  });

  test('is read if tags of its html, head and body are missing, and behind its body', async () => {
    for (const html of [
      '<!doctype html><html lang=en><meta charset=utf-8><title>Shop</title><p>Open<p>Daily',
      '<!doctype html><!-- <html> --><meta charset=utf-8><title>Shop</title><p>Open<p>Daily',
      '<html><head><title>Shop</title></head><p>Open</p><p>Daily</p></html>',
      '<html><head><title>Shop</title><script>"<body>"</script><p>Open</p><p>Daily</p>',
      '<html><title>Shop</title><body data-x="a > b"><p>Open</p><p>Daily</p></body></html>',
      '<HTML><HEAD><TITLE>Shop</TITLE></HEAD><BODY><P>Open</BODY><P>Daily</HTML>',
    ])
      assert.equal((await read(html)).text, 'Shop: Open\n\nDaily', html);
    assert.equal((await read('Open <b>daily</b>')).text, 'D: Open **daily**');
  });

  test('has the e-mail addresses and phone numbers of its links, once', async () => {
    const { text } = await read(
      `<title>Contact</title><p><a href="mailto:info@shop.example?subject=Hi">Write to us</a>,
       <a href="mailto:Info@shop.example">info@shop.example</a>, <a href="tel:+4930123456">call</a>,
       <a href="tel:+4930123456">030 / 12 34 56</a>, <a href="tel:%2B4940"><svg></svg></a>, <a href="mailto:%">%</a>,
       <a href="javascript:open()">more</a></p>`,
    );
    assert.equal(
      text,
      'Contact: Write to us (info@shop.example), info@shop.example, call (+4930123456), 030 / 12 34 56, +4940, %, more',
    );
  });

  test('has addresses and words with underscores as they are', async () => {
    for (const plain of [
      'max_m@shop.example',
      'https://a.example/my__page_*x*_',
      'www.a.example/_b_',
      'size_xl_de',
    ])
      assert.equal((await read(`<p>See ${plain} now</p>`)).text, `D: See ${plain} now`);
    assert.equal((await read('<p>_no_ *emphasis*</p>')).text, String.raw`D: \_no\_ \*emphasis\*`);
  });

  test('is read if one form contains all of it, as in ASP.NET, without the forms in it', async () => {
    const { text } = await read(
      `<title>Shop</title><form id="aspnetForm"><input type="hidden" value="x">
       <div><h1>Contact</h1><p>We open at nine.</p><button>Print</button></div></form>
       <div><form><p>Your address</p><input></form></div>`,
    );
    assert.equal(text, 'Shop › Contact: We open at nine.');
  });

  test('is read without a form beside its text', async () => {
    const { text } = await read(
      `<title>Shop</title><h1>Contact</h1><p>We open at nine and close at six, except on Sundays.</p>
       <form><h2>Newsletter</h2><p>Your address</p><input><button>Subscribe</button></form>`,
    );
    assert.equal(text, 'Shop › Contact: We open at nine and close at six, except on Sundays.');
  });

  test('is read according to the directives for robots, not the values of others', async () => {
    const withRobots = (content: string) =>
      read(`<title>Shop</title><meta name="robots" content="${content}"><p>Open</p><a href="/a">More</a>`);
    for (const [content, isIndexed, isFollowed] of [
      ['index, follow, max-image-preview:none', true, true],
      ['max-image-preview: none, NOFOLLOW', true, false],
      ['noindex', false, true],
      ['None', false, false],
    ] as const) {
      const { text, links } = await withRobots(content);
      assert.deepEqual([text !== '', links.length > 0], [isIndexed, isFollowed], content);
    }
  });

  test('is read according to all its directives for robots, which several extensions of a shop may write', async () => {
    const { text, links } = await read(
      `<title>Shop</title><meta name="robots" content="max-image-preview:large">
       <meta name="Robots" content="noindex, nofollow"><p>Open</p><a href="/a">More</a>`,
    );
    assert.deepEqual([text, links], ['', []]);
  });

  test('has the directives for robots of its header, too', async () => {
    const pageOf = (contentType: string, robots: string) =>
      extract({
        type: 'page',
        name: 'D',
        bytes: new TextEncoder().encode('<p>Open</p><a href="/a">More</a>'),
        contentType,
        robots,
        url,
      });
    for (const [robots, isIndexed, isFollowed] of [
      ['', true, true],
      ['noindex', false, true],
      ['nofollow', true, false],
    ] as const) {
      const { chunks, links } = await pageOf('text/html', robots);
      assert.deepEqual([chunks.length > 0, links.length > 0], [isIndexed, isFollowed], robots);
    }
    assert.deepEqual((await pageOf('text/plain', 'noindex')).chunks, []);
  });

  test('has each question and answer of native accordions, and each legend, in a line of its own', async () => {
    const accordion = `<details><summary>Do you ship?</summary>Yes we do.</details>
      <details><summary>Can I return it?</summary>Within 30 days.</details>`.replace(/\n\s+/, '');
    const article = `<p>${'We answer frequent questions here, one by one. '.repeat(8)}</p>`;
    const lines = ['Do you ship?', 'Yes we do.', 'Can I return it?', 'Within 30 days.'].join('\n\n');
    assert.equal((await read(`<title>FAQ</title>${accordion}`)).text, `FAQ: ${lines}`);
    assert.ok(
      (await read(`<title>FAQ</title><main>${article}${accordion}${article}</main>`)).text.includes(lines),
    );
    const fieldset = '<title>Boot</title><fieldset><legend>Size</legend>42</fieldset>';
    assert.equal((await read(fieldset)).text, 'Boot: Size\n\n42');
  });

  test('shows that a price no longer applies', async () => {
    const { text } = await read(
      '<title>Boot</title><p><del> 99 € </del><ins>79 €</ins>, <s>12</s> 9 left<del></del></p>',
    );
    assert.equal(text, 'Boot: ~~99 €~~ 79 €, ~~12~~ 9 left');
    const atStart = (price: string) =>
      read(`<title>Boot</title><p>${price} 79 €</p><h2>Sizes</h2><p>36 to 48</p>`);
    for (const price of ['<del><s>99 €</s></del>', '<del>~99 €</del>'])
      assert.equal((await atStart(price)).text, 'Boot: ~~99 €~~ 79 €\nBoot › Sizes: 36 to 48');
  });

  test('is read without its hidden text if it is short, unless most of it is hidden', async () => {
    const hidden = `<p hidden>Sold out</p><div style="display:none"><p>Wrong code</p></div>
      <p aria-hidden="true">Decoration</p><dialog><p>Cookies</p></dialog>`;
    const shown = '<p>Boots for trails in all weathers, 50 euros a pair.</p>';
    assert.equal(
      (await read(`<title>Boot</title><main>${hidden}${shown}</main>`)).text,
      'Boot: Boots for trails in all weathers, 50 euros a pair.',
    );
    const startsHidden = `<title>Boot</title><p>Loading</p><div id="app" style="display: none">${shown}</div>`;
    assert.match((await read(startsHidden)).text, /50 euros/);
    const answers = ['Yes, to all countries.', 'Within 30 days, free of charge.', 'By card or invoice.'];
    const questions = answers.map((text) => `<div>Question</div><div style="display:none">${text}</div>`);
    const { text } = await read(`<title>FAQ</title><main>${questions.join('')}</main>`);
    assert.deepEqual(
      answers.filter((answer) => !text.includes(answer)),
      [],
    );
  });

  test('is decoded by its byte order mark, whatever its header and its content say', async () => {
    const html = '<meta charset="iso-8859-1"><p>Größe</p>';
    const decoded = async (bytes: Uint8Array, contentType: string) =>
      (await extract({ type: 'page', name: 'D', bytes, contentType, robots: '', url })).chunks[0]?.body;
    const utf16 = Buffer.from(`\ufeff${html}`, 'utf16le');
    for (const bytes of [Buffer.from(`\ufeff${html}`), utf16, Buffer.from(utf16).swap16()]) {
      for (const contentType of ['text/html', 'text/html; charset=windows-1252'])
        assert.equal(await decoded(bytes, contentType), 'Größe');
    }
    // If its bytes were UTF-16, the declaration could not be read.
    assert.equal(await decoded(Buffer.from('<meta charset="utf-16"><p>Größe</p>'), 'text/html'), 'Größe');
  });

  /** Accordions, by how a panel and its button are related. */
  const accordions: Record<string, (number: number, hidden: string) => string> = {
    'follows its heading': (number, hidden) =>
      `<h2 class="accordion-header">${button(number)}</h2><div ${hidden}>${answer(number)}</div>`,
    'follows its button': (number, hidden) => `${button(number)}<div ${hidden}>${answer(number)}</div>`,
    'is named by its button': (number, hidden) =>
      `<div><h3>${button(number, `aria-controls="p${number}"`)}</h3></div><div id="p${number}" ${hidden}>${answer(number)}</div>`,
    'is named by its button in Bootstrap': (number, hidden) =>
      `<div><h3>${button(number, `data-bs-toggle="collapse" data-bs-target="#p${number}"`)}</h3></div>
       <div id="p${number}" ${hidden}>${answer(number)}</div>`,
    'is a region': (number, hidden) =>
      `<div><h3 id="h${number}">${button(number)}</h3></div><div role="region" aria-labelledby="h${number}" ${hidden}>${answer(number)}</div>`,
  };
  const button = (number: number, attributes = '') =>
    `<button aria-expanded="false" ${attributes}><span>How long does parcel ${number} take?</span></button>`;
  const answer = (number: number) =>
    `<p>Parcel ${number} takes ${number} days. We send it on working days, and you receive a tracking number by e-mail.</p>`;
  test('is read with its accordion if an element has an empty id', async () => {
    const { text } = await read(
      `<title>FAQ</title><span id=""></span><main><h1>Questions</h1>
       <p>${'We answer frequent questions here. '.repeat(8)}</p>
       <h2>${button(1)}</h2><div hidden>${answer(1)}</div></main>`,
    );
    assert.match(text, /Parcel 1 takes 1 days\./);
  });

  test('is read without the buttons beside the text of its headings', async () => {
    const { text } = await read(
      `<title>Help</title><h2>Returns <button>Copy link</button></h2><p>Send it back.</p>
       <h2><button aria-expanded="false">Shipping</button> <button>Copy link</button></h2><p>Ask us.</p>
       <h2><button>Payment</button></h2><p>Pay by card.</p>`,
    );
    assert.equal(
      text,
      'Help › Returns: Send it back.\nHelp › Shipping: Ask us.\nHelp › Payment: Pay by card.',
    );
  });

  for (const [relation, item] of Object.entries(accordions)) {
    for (const hidden of ['', 'hidden', 'style="display: none"', 'aria-hidden="true"']) {
      test(`has the questions and answers of an accordion whose panel ${relation} (${hidden})`, async () => {
        const numbers = [1, 2, 3, 4];
        const { text } = await read(
          `<title>FAQ</title><main><h1>Questions</h1><p>${'We answer frequent questions here. '.repeat(8)}</p>
           ${numbers.map((number) => `<div>${item(number, hidden)}</div>`).join('')}
           <p hidden>Nothing to see.</p><button aria-controls="cookies" aria-expanded="false">Cookies</button>
           <div role="dialog" id="cookies" hidden><p>Please accept our cookies, all of them.</p></div></main>`,
        );
        for (const number of numbers) {
          assert.ok(text.includes(`How long does parcel ${number} take?`), text);
          assert.ok(text.includes(`Parcel ${number} takes ${number} days.`), text);
        }
        assert.doesNotMatch(text, /accept|Nothing/);
      });
    }
  }
});

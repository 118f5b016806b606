import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeEntities } from '../../../src/widget/panel/markdown/decode-entities.ts';
import { safeImage, safeLink } from '../../../src/widget/panel/markdown/safe-address.ts';

describe('a link', () => {
  it('can have http, mailto and tel addresses', () => {
    for (const address of [
      'https://example.com/a?b#c',
      'http://example.com/',
      'mailto:a@example.com',
      'tel:+4976155',
    ]) {
      assert.equal(safeLink(address), address);
    }
  });

  it('cannot run scripts or have an address relative to the page', () => {
    const addresses = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://example.com/x',
      'file:///etc/passwd',
      '/relative',
      '#top',
      '',
      '//example.com',
    ];
    for (const address of addresses) assert.equal(safeLink(address), undefined, JSON.stringify(address));
  });
});

describe('an image', () => {
  it('loads from origins that the site allows, and from no other', () => {
    const allowed = ['https://images.example.com'];
    assert.equal(safeImage('https://images.example.com/a.png', allowed), 'https://images.example.com/a.png');
    for (const address of [
      'https://images.example.com.evil.example/a.png',
      'http://images.example.com/a.png',
      'https://evil.example/?https://images.example.com',
      'https://images.example.com:8443/a.png',
      'data:image/png;base64,',
    ]) {
      assert.equal(safeImage(address, allowed), undefined, address);
    }
  });
});

describe('the origins of images', () => {
  it('can be given as addresses, and invalid ones allow nothing', () => {
    const image = 'https://images.example.com/a.png';
    for (const allowed of ['https://images.example.com/', 'HTTPS://Images.Example.com:443/some/path'])
      assert.equal(safeImage(image, [allowed]), image, allowed);
    for (const allowed of ['', '*', 'images.example.com', 'data:', 'null'])
      for (const address of [image, 'data:image/png;base64,'])
        assert.equal(safeImage(address, [allowed]), undefined, allowed);
  });
});

describe('character references', () => {
  it('are decoded if they are numeric or common names', () => {
    assert.equal(decodeEntities('a &amp; b &lt;c&gt; &#8364; &#x1F600; &euro;'), 'a & b <c> € 😀 €');
    assert.equal(decodeEntities('&amp;lt;'), '&lt;');
    assert.equal(decodeEntities('&unknown; & &#0; &#1114112;'), '&unknown; & \ufffd \ufffd');
  });
});

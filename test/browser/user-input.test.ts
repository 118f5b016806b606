import { expect, fixture, html } from '@open-wc/testing';
import { click, emulateMedia, press, setViewport, supports, type } from '../support/browser/page.ts';

describe('the browser under test', () => {
  it('types, presses key combinations and clicks like a person', async () => {
    const form = await fixture<HTMLFormElement>(
      html`<form><input aria-label="Name" /><button type="button">Go</button></form>`,
    );
    const [input, button] = [form.querySelector('input'), form.querySelector('button')];
    if (!input || !button) throw new Error('The fixture is incomplete.');
    let clicks = 0;
    button.addEventListener('click', (event) => {
      if (event.isTrusted) clicks++;
    });

    await click(input);
    expect(document.activeElement).to.equal(input);
    await type('Grüße an alle, 你好!');
    expect(input.value).to.equal('Grüße an alle, 你好!');
    await press('Tab');
    expect(document.activeElement).to.equal(button);
    await press('Enter');
    await press('Shift+Tab');
    expect(document.activeElement).to.equal(input);
    await click(button);
    expect(clicks).to.equal(2);
  });

  it('has the requested size', async () => {
    const width = supports.phoneViewport ? 390 : 600;
    await setViewport(width, 640);
    expect([innerWidth, innerHeight]).to.deep.equal([width, 640]);
    await setViewport(1280, 800);
    expect([innerWidth, innerHeight]).to.deep.equal([1280, 800]);
  });

  it('applies the preferences it is given', async function () {
    if (!supports.emulateMedia) this.skip();
    await emulateMedia({ colorScheme: 'dark' });
    expect(matchMedia('(prefers-color-scheme: dark)').matches).to.be.true;
    await emulateMedia({ colorScheme: 'light' });
    expect(matchMedia('(prefers-color-scheme: dark)').matches).to.be.false;
  });

  it('begins each file with empty storage', () => {
    expect(localStorage).to.have.length(0);
    localStorage.setItem('left-behind', 'by this file');
  });
});

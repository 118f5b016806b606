import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { scriptAnswer } from '../support/browser/script-answer.ts';
import { modelService, service } from '../support/browser/service-under-test.ts';

type Rgb = [number, number, number];

/** The painted color, read from a canvas, for every color notation. */
function painted(color: string): Rgb {
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('There is no canvas.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(painted(one)), luminance(painted(other))].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

function colorsOf(element: Element): { color: string; background: string } {
  const { color, backgroundColor } = getComputedStyle(element);
  return { color, background: backgroundColor };
}

/** The corner of the window that an element is in. */
function cornerOf(element: Element): string {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return `${left < innerWidth - right ? 'left' : 'right'}-${top < innerHeight - bottom ? 'top' : 'bottom'}`;
}

const strangeColors = [
  '#3B82F6',
  '#fff',
  '#000',
  '#777',
  '#767676',
  '#ffff00',
  '#ff0',
  'rebeccapurple',
  'hotpink',
  'indigo',
  'rgb(120 120 120)',
  'rgba(0, 0, 0, 0.1)',
  'hsl(60 100% 50%)',
  'hwb(194 0% 0%)',
  'lab(50% 40 59.5)',
  'oklch(0.7 0.3 150)',
  'color(display-p3 1 0 0)',
  '#12345680',
  'rgb(0 128 128 / 50%)',
  '#0000ff',
  '#00ff00',
];

describe('the appearance', () => {
  afterEach(unmountAll);

  for (const color of strangeColors) {
    it(`is readable on ${color}`, async () => {
      const chat = mount({ color, theme: 'light', position: 'left-top' });
      const launcher = colorsOf(chat.launcher);
      expect(contrast(launcher.color, launcher.background)).to.be.at.least(4.5);
      const [red, green, blue] = painted(color);
      painted(launcher.background).forEach((value, index) => {
        expect(value).to.be.closeTo(
          [red, green, blue][index] ?? -1,
          2,
          `${launcher.background} for ${color}`,
        );
      });
      await chat.open();
      for (const part of ['header', 'send-button']) {
        const { color: text, background } = colorsOf(chat.part(part));
        expect(contrast(text, background), part).to.be.at.least(4.5);
      }
    });
  }

  it('follows the assistant’s settings', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('settings') });
    await until(() => chat.find('.root')?.dataset['theme'] === 'dark', 'the dark theme');
    expect(cornerOf(chat.launcher)).to.equal('left-top');
    await chat.open();
    expect(luminance(painted(getComputedStyle(chat.part('panel')).backgroundColor))).to.be.below(0.1);
  });

  it('prefers the site’s attributes', async () => {
    const chat = mount({
      'assistant-id': service.assistantThatShows('settings'),
      theme: 'light',
      color: '#004400',
      position: 'right-bottom',
    });
    await chat.open();
    expect(cornerOf(chat.launcher)).to.equal('right-bottom');
    expect(painted(colorsOf(chat.launcher).background)).to.deep.equal([0, 0x44, 0]);
    expect(luminance(painted(getComputedStyle(chat.part('panel')).backgroundColor))).to.be.above(0.9);
  });

  it('shows the name of an assistant that replaces another one while the chat is open', async () => {
    const chat = mount({ theme: 'light', color: '#004400', position: 'right-bottom' });
    await chat.open();
    chat.element.assistantId = service.assistantThatShows('settings');
    await until(() => chat.part('header').innerText.includes('Nordkamm night desk'), 'the other name');
  });

  for (const [position, corner] of [
    ['right-bottom', 'right-bottom'],
    ['left-bottom', 'left-bottom'],
    ['right-top', 'right-top'],
    ['left-top', 'left-top'],
    ['bottom-right', 'right-bottom'],
    ['bottom-left', 'left-bottom'],
    ['top-right', 'right-top'],
    ['top-left', 'left-top'],
    ['left', 'left-bottom'],
    ['right', 'right-bottom'],
    ['LEFT_TOP', 'left-top'],
    ['middle', 'right-bottom'],
    ['', 'right-bottom'],
  ] as const) {
    it(`is at the ${corner} for position "${position}", launcher and panel`, async () => {
      const chat = mount({ position, color: '#123', theme: 'dark', heading: 'A' });
      expect(cornerOf(chat.launcher)).to.equal(corner);
      await chat.open();
      const panel = chat.part('panel').getBoundingClientRect();
      const [inline] = corner.split('-');
      if (inline === 'left') expect(panel.left).to.be.below(40);
      else expect(panel.right).to.be.above(innerWidth - 40);
      expect(panel.top).to.be.at.least(0);
      expect(panel.bottom).to.be.at.most(innerHeight);
    });
  }

  it('falls back silently from invalid colors', () => {
    const warnings: unknown[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => warnings.push(words);
    const fallback = colorsOf(mount({ color: '' }).launcher).background;
    for (const color of [
      'bluish',
      'var(--brand)',
      'inherit',
      'currentColor',
      'url(x)',
      'red; position: static',
    ]) {
      expect(colorsOf(mount({ color }).launcher).background, color).to.equal(fallback);
    }
    console.warn = warn;
    expect(warnings).to.deep.equal([]);
  });

  it('closes an open bracket of a color, and keeps its place', () => {
    for (const [color, meant] of [
      ['rgb(0 0 0', '#000'],
      ['hsl(0,100%,50%', '#f00'],
      ['red /*', 'red'],
      ['color-mix(in srgb, red, red', 'red'],
    ] as const) {
      const { launcher } = mount({ color, position: 'right-bottom' });
      const { right, bottom } = launcher.getBoundingClientRect();
      expect([innerWidth - right, innerHeight - bottom].map(Math.round), color).to.deep.equal([20, 20]);
      const expected = colorsOf(mount({ color: meant }).launcher);
      expect(colorsOf(launcher), color).to.deep.equal(expected);
    }
  });

  it('shows at once in the right color if the settings are stored', async () => {
    const settings = { 'assistant-id': service.assistantThatShows('settings') };
    const first = mount(settings);
    await until(() => first.find('.root')?.dataset['theme'] === 'dark', 'the settings');
    const second: Chat = mount(settings);
    expect(second.find('.root')?.dataset['theme']).to.equal('dark');
    expect(getComputedStyle(second.launcher).opacity).to.equal('1');
  });

  it('waits for unknown settings, and shows without them after a time limit', async () => {
    const chat = mount({ 'base-url': `${service.url}/faults/timeout` });
    expect(getComputedStyle(chat.launcher).opacity).to.equal('0');
    await until(
      () => getComputedStyle(chat.launcher).opacity === '1',
      'the launcher to show without settings',
    );
  });

  for (const kind of [
    'html',
    'wrong-types',
    'empty',
    'server-error',
    'truncated',
    'unreachable',
    'json-only',
  ]) {
    it(`falls back silently if the service answers the request for settings with "${kind}"`, async () => {
      const chat = mount({ 'base-url': `${service.url}/faults/${kind}` });
      await until(() => !chat.find('.root')?.hasAttribute('data-pending'), 'the launcher to show');
      expect(cornerOf(chat.launcher)).to.equal('right-bottom');
    });
  }

  it('draws every icon in the color of its button', async () => {
    const chat = mount();
    await chat.open();
    const icons = chat.findAll('button svg');
    expect(icons).not.to.be.empty;
    for (const icon of icons) {
      const { stroke, fill } = getComputedStyle(icon);
      expect(stroke).to.equal(getComputedStyle(icon.parentElement as Element).color);
      expect(fill).to.equal('none');
    }
  });

  it('fills its box when inline, without a launcher', async () => {
    const box = document.createElement('div');
    box.style.cssText = 'width: 380px; height: 500px';
    document.body.append(box);
    const chat = mount({ inline: '' }, box);
    await chat.ready();
    expect(chat.launcher.checkVisibility()).to.be.false;
    const panel = chat.part('panel').getBoundingClientRect();
    const { left, top, width, height } = box.getBoundingClientRect();
    expect([panel.left, panel.top, panel.width, panel.height]).to.deep.equal([left, top, width, height]);
    box.remove();
  });

  it('is not widened by its messages when inline in a flexible box', async () => {
    const box = document.createElement('div');
    box.style.cssText = 'display: flex; width: 800px; height: 500px';
    const main = document.createElement('main');
    main.style.flex = '1';
    main.textContent = 'A page with some text. '.repeat(40);
    box.append(main);
    document.body.append(box);
    const chat = mount(
      {
        inline: '',
        style: 'min-width: 320px',
        'base-url': modelService.url,
        'assistant-id': modelService.assistantThatShows('no-greeting'),
      },
      box,
    );
    await chat.ready();
    expect(chat.part('panel').offsetWidth).to.equal(320);
    const { question } = await scriptAnswer({ chunks: [`\`\`\`\n${'code '.repeat(80)}\n\`\`\``] });
    await chat.ask(question);
    await until(() => chat.find('pre') !== null, 'the code');
    expect(chat.part('panel').offsetWidth).to.equal(320);
    box.remove();
  });

  it('has the assistant’s language and direction', async () => {
    const german = mount({ 'assistant-id': service.assistantThatShows('german') });
    await german.open();
    await until(() => german.input.placeholder.startsWith('Nachricht'), 'German texts');
    german.element.hide();
    const arabic = mount({ 'assistant-id': service.assistantThatShows('arabic') });
    await arabic.open();
    await until(() => arabic.find('.root')?.dir === 'rtl', 'the direction');
    expect(getComputedStyle(arabic.part('composer-input')).direction).to.equal('rtl');
    expect(arabic.part('send-button').getBoundingClientRect().left).to.be.below(
      arabic.input.getBoundingClientRect().left,
    );
  });

  it('lets the site choose language and direction', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('arabic'), lang: 'de', dir: 'ltr' });
    await chat.open();
    await until(() => chat.input.placeholder.startsWith('Nachricht'), 'German texts');
    expect(chat.find('.root')?.dir).to.equal('ltr');
  });
});

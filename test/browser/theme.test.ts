import { expect } from '@open-wc/testing';
import { mount, unmountAll, type Chat } from '../support/chat/chat-fixture.ts';
import { chatStates } from '../support/chat/chat-states.ts';
import { setViewport } from '../support/browser/page.ts';

interface Row {
  /** After `--voice-assistant-chat-`. */
  readonly token: string;
  readonly value: string;
  /** The part (or a selector within it) and the computed property that it changes. */
  readonly shows: readonly (readonly [selector: string, property: string, value: string])[];
}

const red = 'rgb(120, 10, 20)';
const part = (name: string): string => `[part~="${name}"]`;

/** Every custom property with its effect. A test of the documents compares them with the style sheets. */
const rows: readonly Row[] = [
  { token: 'accent-text', value: red, shows: [[part('panel'), '--focus', red]] },
  {
    token: 'surface',
    value: red,
    shows: [
      [part('panel'), 'background-color', red],
      [part('composer-input'), 'background-color', red],
    ],
  },
  {
    token: 'text',
    value: red,
    shows: [
      [part('panel'), 'color', red],
      [part('message-assistant'), 'color', red],
    ],
  },
  { token: 'raised', value: red, shows: [[part('message-assistant'), 'background-color', red]] },
  { token: 'line', value: red, shows: [[part('composer'), 'border-top-color', red]] },
  { token: 'control', value: red, shows: [[part('composer-input'), 'border-top-color', red]] },
  {
    token: 'radius',
    value: '8px',
    shows: [
      [part('panel'), 'border-top-left-radius', '8px'],
      [part('message-assistant'), 'border-top-left-radius', '8px'],
      [part('composer-input'), 'border-top-left-radius', '6px'],
    ],
  },
  {
    token: 'font',
    value: 'Georgia, serif',
    shows: [
      [part('panel'), 'font-family', 'Georgia, serif'],
      [part('launcher'), 'font-family', 'Georgia, serif'],
      [part('composer-input'), 'font-family', 'Georgia, serif'],
    ],
  },
  {
    token: 'font-size',
    value: '20px',
    shows: [
      [part('panel'), 'font-size', '20px'],
      [part('launcher'), 'font-size', '20px'],
      ['h2', 'font-size', '21.4px'],
      [part('composer-input'), 'font-size', '20px'],
    ],
  },
  { token: 'width', value: '500px', shows: [[part('panel'), 'width', '500px']] },
  { token: 'height', value: '450px', shows: [[part('panel'), 'height', '450px']] },
  {
    token: 'launcher-size',
    value: '72px',
    shows: [
      [part('launcher'), 'height', '72px'],
      [part('launcher'), 'width', '72px'],
    ],
  },
  { token: 'offset-x', value: '50px', shows: [[part('launcher'), 'right', '50px']] },
  { token: 'offset-y', value: '60px', shows: [[part('launcher'), 'bottom', '60px']] },
];

async function opened(tokens: Readonly<Record<string, string>>, theme = 'light'): Promise<Chat> {
  const chat = mount({ theme, color: '#2f5bea', position: 'right-bottom', subheading: 'Now' });
  for (const [token, value] of Object.entries(tokens))
    chat.element.style.setProperty(`--voice-assistant-chat-${token}`, value);
  await chat.open();
  await chat.answered(1);
  return chat;
}

function computed(chat: Chat, selector: string, property: string): string {
  const element = chat.find(selector);
  if (element === null) throw new Error(`Nothing is found by ${selector}.`);
  if (property === '--focus') {
    // The color of the focus ring and links.
    const probe = document.createElement('i');
    probe.style.color = 'var(--_accent-text)';
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }
  return getComputedStyle(element).getPropertyValue(property);
}

/** The painted color. */
function painted(color: string): number[] {
  const context = new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map((color) => {
      const [red = 0, green = 0, blue = 0] = painted(color).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The chroma of a color: the difference of its largest and smallest component. */
function chroma(color: string): number {
  const parts = painted(color);
  return Math.max(...parts) - Math.min(...parts);
}

describe('a custom property', () => {
  beforeEach(() => setViewport(1000, 900));
  afterEach(unmountAll);

  for (const { token, value, shows } of rows) {
    it(`--voice-assistant-chat-${token} has its documented effect, on the element and on its ancestors`, async () => {
      const without = await opened({});
      for (const [selector, property, expected] of shows)
        expect(computed(without, selector, property), `${selector} ${property}`).not.to.equal(expected);
      await unmountAll();
      const chat = await opened({ [token]: value });
      for (const [selector, property, expected] of shows)
        expect(computed(chat, selector, property), `${selector} ${property}`).to.equal(expected);
      chat.element.removeAttribute('style');
      document.body.style.setProperty(`--voice-assistant-chat-${token}`, value);
      for (const [selector, property, expected] of shows)
        expect(computed(chat, selector, property), `${selector} ${property}`).to.equal(expected);
      document.body.removeAttribute('style');
    });
  }

  it('--voice-assistant-chat-danger colors problems', async () => {
    const chat = await opened({ danger: red });
    chat.element.send('x'.repeat(2001));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    expect(computed(chat, '#composer-note', 'color')).to.equal(red);
  });

  it('--voice-assistant-chat-muted colors secondary text', async () => {
    const chat = await opened({ muted: red });
    const probe = document.createElement('small');
    probe.className = 'state';
    chat.part('message-log').append(probe);
    expect(getComputedStyle(probe).color).to.equal(red);
    probe.remove();
  });

  for (const accent of ['#fff6d6', '#808080', '#0b1d51', '#00f', 'rgb(255 0 0 / 40%)', 'hotpink']) {
    it(`--voice-assistant-chat-accent of ${accent} is adjusted for contrast in every use`, async () => {
      for (const theme of ['light', 'dark']) {
        const chat = await opened({ accent }, theme);
        for (const name of ['launcher', 'header', 'send-button']) {
          const { color, backgroundColor } = getComputedStyle(chat.part(name));
          expect(contrast(color, backgroundColor), `${name}, ${theme}`).to.be.at.least(4.5);
        }
        const link = computed(chat, part('panel'), '--focus');
        const { backgroundColor } = getComputedStyle(chat.part('message-assistant'));
        expect(contrast(link, backgroundColor), `a link, ${theme}`).to.be.at.least(4.5);
        const shown = chroma(getComputedStyle(chat.part('header')).backgroundColor);
        if (theme === 'dark') expect(chroma(link), 'the color of a link').to.be.at.least(shown / 2);
        await unmountAll();
      }
    });
  }

  for (const [surface, text] of [
    ['#fdf6e3', '#073642'],
    ['#241b3a', '#f3ecff'],
    ['#ffffff', '#000000'],
    ['#000000', '#ffffff'],
  ] as const) {
    it(`of surface ${surface} and text ${text} keeps all other colors readable`, async () => {
      const chat = await opened({ surface, text });
      chat.element.send('x'.repeat(2001));
      const muted = getComputedStyle(chat.input, '::placeholder').color;
      const bubble = getComputedStyle(chat.part('message-assistant'));
      const border = getComputedStyle(chat.input).borderTopColor;
      expect(contrast(bubble.color, bubble.backgroundColor), 'a message').to.be.at.least(4.5);
      expect(contrast(muted, bubble.backgroundColor), 'muted text').to.be.at.least(4.5);
      expect(contrast(border, surface), 'the border of the text field').to.be.at.least(3);
    });
  }
});

describe('a part', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(unmountAll);

  /** The states in which each part is visible. */
  const parts: Readonly<Record<string, readonly string[]>> = {
    'an invitation': ['launcher', 'teaser', 'teaser-dismiss-button'],
    'a long answer in Markdown, with its tools': [
      ...['panel', 'header', 'restart-button', 'menu-button', 'close-button', 'message-log', 'message'],
      ...['message-user', 'message-assistant', 'message-tools', 'copy-button', 'rate-button', 'code'],
      ...['composer', 'composer-input', 'send-button'],
    ],
    'messages further down': ['latest-button'],
    'an answer that waits for its first word': ['typing'],
    'a message that was not sent': ['problem', 'retry-button', 'edit-button'],
    'a page tool that asks to be allowed': ['tool-request'],
    'a form before the conversation': ['gate', 'form', 'start-button'],
    'suggestions of answers': ['suggestions', 'suggestion'],
    'a preview with its inspector': ['test-mark', 'inspect-button', 'inspector'],
  };

  afterEach(() => {
    document.adoptedStyleSheets = [];
  });

  for (const [state, names] of Object.entries(parts)) {
    it(`follows the page’s style over the chat’s own, in ${state}`, async () => {
      const chat = await chatStates[state]?.({ theme: 'light' });
      if (chat === undefined) throw new Error(`There is no state “${state}”.`);
      const sheet = new CSSStyleSheet();
      document.adoptedStyleSheets = [sheet];
      for (const name of names) {
        sheet.replaceSync(
          `voice-assistant-chat::part(${name}) { animation: none; opacity: 0.5; color: ${red}; right: 7px }`,
        );
        const { opacity, color, right } = getComputedStyle(chat.part(name));
        expect([name, opacity, color, right].join()).to.equal([name, '0.5', red, '7px'].join());
      }
    });
  }
});

import { expect } from '@open-wc/testing';
import { forceMedia } from '../support/chat/force-media.ts';
import { unmountAll, type Chat } from '../support/chat/chat-fixture.ts';
import { chatStates } from '../support/chat/chat-states.ts';
import { setViewport } from '../support/browser/page.ts';

describe('a visitor who prefers', () => {
  let restore: (() => void) | undefined;
  beforeEach(() => setViewport(1000, 800));
  afterEach(async () => {
    restore?.();
    await unmountAll();
  });

  for (const [state, openState] of Object.entries(chatStates)) {
    it(`less motion sees nothing move in ${state}`, async () => {
      const chat = await openState({ theme: 'light' });
      restore = forceMedia(chat, '(prefers-reduced-motion: reduce)');
      const moving = (chat.element.shadowRoot?.getAnimations() ?? [])
        .filter(({ effect }) =>
          (effect as KeyframeEffect)
            .getKeyframes()
            .some((frame) => ['translate', 'rotate', 'scale', 'transform'].some((name) => name in frame)),
        )
        .map((animation) => (animation as CSSAnimation).animationName);
      expect(moving).to.deep.equal([]);
    });
  }

  it('more contrast gets borders in the color of text, around everything', async () => {
    const chat: Chat = await (
      chatStates['a long answer in Markdown, with its tools'] as (attributes: object) => Promise<Chat>
    )({ theme: 'light' });
    const style = (name: string) => getComputedStyle(chat.part(name));
    expect(style('composer').borderTopColor).not.to.equal(style('panel').color);
    restore = forceMedia(chat, '(prefers-contrast: more)');
    const { color } = style('panel');
    for (const name of ['panel', 'composer', 'composer-input'])
      expect(style(name).borderTopColor, name).to.equal(color);
    expect(getComputedStyle(chat.input, '::placeholder').color).to.equal(color);
    for (const name of ['message-assistant', 'message-user', 'send-button', 'close-button'])
      expect(style(name).borderTopStyle, name).to.equal('solid');
  });
});

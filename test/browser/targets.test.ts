import { expect } from '@open-wc/testing';
import { forceMedia } from '../support/chat/force-media.ts';
import { unmountAll, type Chat } from '../support/chat/chat-fixture.ts';
import { chatStates } from '../support/chat/chat-states.ts';
import { setViewport } from '../support/browser/page.ts';
import { settled } from '../support/chat/page-layout.ts';

const nameOf = (target: Element): string => target.getAttribute('part') ?? target.outerHTML.slice(0, 80);

/** All controls, except links within text, which are as high as its lines. */
function targetsOf(chat: Chat): HTMLElement[] {
  return chat
    .findAll('button, textarea, input:not(:disabled), summary')
    .filter((target) => target.checkVisibility({ visibilityProperty: true }));
}

function tooSmall(chat: Chat, least: number): string[] {
  return targetsOf(chat).flatMap((target) => {
    // A checkbox can also be clicked by its label.
    const label =
      (target as HTMLInputElement).type === 'checkbox' ? (target as HTMLInputElement).labels?.[0] : null;
    const { width, height } = (label ?? target).getBoundingClientRect();
    // Layout rounds sizes.
    if (width > least - 0.1 && height > least - 0.1) return [];
    return `${nameOf(target)}: ${String(width)} x ${String(height)}`;
  });
}

/** Pairs of targets that overlap. */
function overlaps(chat: Chat): string[] {
  const log = chat.find('[part="message-log"]');
  const frame = log?.getBoundingClientRect();
  const targets = targetsOf(chat)
    // This button covers messages on purpose.
    .filter((target) => !target.matches('[part="latest-button"]'))
    .map((target) => {
      const { left, right, top, bottom } = target.getBoundingClientRect();
      // Elements scrolled out of view are not covered.
      return frame && log?.contains(target)
        ? { target, left, right, top: Math.max(top, frame.top), bottom: Math.min(bottom, frame.bottom) }
        : { target, left, right, top, bottom };
    });
  return targets.flatMap((one, index) =>
    targets
      .slice(index + 1)
      .filter(
        (other) =>
          Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5 &&
          Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5,
      )
      .map((other) => `${nameOf(one.target)} and ${nameOf(other.target)}`),
  );
}

describe('controls are large enough, and far enough apart, in', () => {
  let restore: (() => void) | undefined;
  beforeEach(() => setViewport(1000, 800));
  afterEach(async () => {
    restore?.();
    await unmountAll();
  });

  for (const [state, openState] of Object.entries(chatStates)) {
    it(`${state}: 24 pixels with a mouse, 44 with a finger`, async () => {
      const chat = await openState({ theme: 'light' });
      if (chat.isOpen) await settled(chat);
      expect(targetsOf(chat)).not.to.be.empty;
      expect(tooSmall(chat, 24).join('; '), 'with a mouse').to.equal('');
      expect(overlaps(chat).join('; '), 'with a mouse').to.equal('');
      restore = forceMedia(chat, '(pointer: coarse)');
      expect(tooSmall(chat, 44).join('; '), 'with a finger').to.equal('');
      expect(overlaps(chat).join('; '), 'with a finger').to.equal('');
    });
  }
});

import 'axe-core/axe.min.js';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Chat } from './chat-fixture.ts';

declare const axe: { run(context: Element, options: RunOptions): Promise<AxeResults> };

/** What axe finds wrong with a widget, best practices included. */
export async function violations(chat: Chat): Promise<string> {
  const fading = (): Animation[] =>
    (chat.element.shadowRoot?.getAnimations() ?? []).filter(
      ({ effect }) => effect?.getComputedTiming().endTime !== Infinity,
    );
  // What is still fading in has no final colors yet. A change of style may cancel it and begin it anew.
  while (fading().length > 0) await Promise.allSettled(fading().map(({ finished }) => finished));
  const found = await axe.run(chat.element, {
    rules: { region: { enabled: false } },
    // What passed is not told apart, which takes half the time.
    resultTypes: ['violations'],
  });
  return found.violations
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, any, all, none }) =>
          `${id}: ${html} ${[...any, ...all, ...none].map(({ message }) => message).join(' ')}`,
      ),
    )
    .join('\n');
}

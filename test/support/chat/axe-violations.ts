import 'axe-core/axe.min.js';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Chat } from './chat-fixture.ts';

declare const axe: { run(context: Element, options: RunOptions): Promise<AxeResults> };

/** Returns axe's findings in a widget, best practices included; empty if there are none. */
export async function violations(chat: Chat): Promise<string> {
  const fading = (): Animation[] =>
    (chat.element.shadowRoot?.getAnimations() ?? []).filter(
      ({ effect }) => effect?.getComputedTiming().endTime !== Infinity,
    );
  // Colors are final only after animations. A change of style can cancel and restart them.
  while (fading().length > 0) await Promise.allSettled(fading().map(({ finished }) => finished));
  const found = await axe.run(chat.element, {
    rules: { region: { enabled: false } },
    // Only violations are listed, which halves the time.
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

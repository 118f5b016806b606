import type { CallLine } from '../db/calls-table.ts';

const speakers = { assistant: 'AI', user: 'Customer' } as const;

/** What was said, as the wire has it: a line for each turn. */
export const formatTranscript = (lines: readonly Pick<CallLine, 'role' | 'content'>[]): string =>
  lines
    .map(({ role, content }) => `${speakers[role]}: ${content.replace(/\s*\n\s*/g, ' ').trim()}`)
    .join('\n');

import { fileURLToPath } from 'node:url';

/** The repository's folder, absolute, without a slash at its end. */
export const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

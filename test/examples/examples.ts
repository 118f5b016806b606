import { budgets } from '../../src/package/budgets.ts';

/** A project in `demo/examples`. */
export interface Example {
  /** Its folder. */
  readonly name: string;
  /** The arguments of `npm` that serve the built site on a port. */
  readonly serve: (port: string) => readonly string[];
  /** Whether it has a build step. */
  readonly isBuilt?: false;
  /** Whether the HTML that the server sends contains the element. */
  readonly isRenderedOnServer?: true;
  /** Whether the element is in the layout, and stays when the route changes. */
  readonly isKeptAcrossRoutes?: true;
  /** Limit of all scripts until the first answer, with the framework's own, in bytes after Brotli compression. */
  readonly scriptBudget?: number;
  /** Limit of the chat's share of them: of the scripts that the page without the chat does not name. */
  readonly chatBudget?: number;
  /** Whether `npm test` runs it; `npm test -- examples` runs all. */
  readonly isAlwaysRun?: true;
}

const preview = (port: string) => ['run', 'preview', '--', '--host', '127.0.0.1', '--port', port];

export const examples: readonly Example[] = [
  { name: 'html', serve: preview, isBuilt: false, isRenderedOnServer: true, isAlwaysRun: true },
  { name: 'react-vite', serve: preview, isAlwaysRun: true },
  { name: 'sveltekit', serve: preview, isRenderedOnServer: true, isAlwaysRun: true },
  { name: 'vue', serve: preview },
  { name: 'preact', serve: preview },
  { name: 'solid', serve: preview },
  {
    name: 'next',
    serve: (port) => ['run', 'preview', '--', '--hostname', '127.0.0.1', '--port', port],
    isRenderedOnServer: true,
    scriptBudget: budgets.nextPage.bytes,
    chatBudget: budgets.nextChat.bytes,
  },
  { name: 'nuxt', serve: () => ['run', 'preview'], isRenderedOnServer: true },
  { name: 'astro', serve: preview, isRenderedOnServer: true, isKeptAcrossRoutes: true },
  { name: 'angular', serve: preview },
];

/** Projects in this folder that test a page, each with its test runner. */
export const testRunners: readonly string[] = ['jest', 'vitest'];

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { examples, testRunners } from '../examples/examples.ts';
import { repository } from '../support/repository.ts';
import { isBuilt } from './is-built.ts';
import { resultFileVariable } from './suite-result.ts';

/** A program that runs checks. */
export interface Suite {
  /** `group`, `group:variant` or `group:variant:part`; each of them can be given on the command line. */
  name: string;
  /** The command: a script of this folder, a file of node_modules/.bin, or node:test on files. */
  run: readonly string[];
  env?: Record<string, string>;
  /** `check`: its exit code counts as one test. `tests`: it writes counts to a result file. */
  counts: 'check' | 'tests';
  /** The command that runs some of its files; if present, failed files run again. */
  again?: (files: readonly string[]) => readonly string[];
  /** Groups that must end before it starts. */
  after?: readonly string[];
  /** The smallest run that contains it. Without one, `npm test` does. */
  onlyIf?: 'ci' | 'all' | 'named';
  /** Time limit in minutes: several times the usual duration, since some machines are slow. */
  limit: number;
}

const program = (name: string, ...args: string[]) => [join(repository, 'node_modules/.bin', name), ...args];

/** Runs node:test on files, with a readable report and counts for the runner. */
export function nodeTests(files: readonly string[], ...options: string[]): readonly string[] {
  return [
    process.execPath,
    '--test',
    '--test-timeout=180000',
    ...options,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(repository, 'test/runner/count-reporter.ts')}`,
    `--test-reporter-destination=\${${resultFileVariable}}`,
    ...files,
  ];
}

/** Ends when all tests have: the timers of workers whose service was lost with its database would keep it for an hour. */
const inOneProcess = ['--test-isolation=none', '--test-force-exit'];

/** One file at a time, since audio is sent and measured in real time, which takes minutes for whole calls. */
const inRealTime = ['--test-concurrency=1', '--test-timeout=300000'];

/**
 * Files of `test/service` that run with the embedded database alone: what they test has nothing to do with the kind of
 * database, and they take minutes.
 */
const onOneDatabase = [
  'ambient-sound',
  'asterisk-machine-detection',
  'calling-hours',
  'chunk-markdown',
  'config',
  'dtmf-tones',
  'extract',
  'fill-variables',
  'language-model',
  'log',
  'model-problems',
  'offline-engine',
  'prompt-fences',
  'realtime-line',
  'audio-recorder',
  'twilio-line',
  'twilio-requests',
  'voice-line',
  'silent-webhook-receivers',
  'webhook-deliveries',
  'websites',
  'with-timeout',
  'processes/documents',
  'processes/pinned-widget',
  'processes/setup',
  'processes/telemetry',
  'processes/twilio-check',
].map((name) => `test/service/${name}.test.ts`);

/**
 * Files of `test/service` that only `npm test -- all` runs on the embedded database: each needs the processor for ten
 * seconds or more, for whole calls with audio or hundreds of requests.
 */
const slow = [
  'call-reports',
  'call-speech',
  'call-transfer',
  'documented-requests',
  'inbound-calls',
  'knowledgebases',
  'offline-engine',
  'offline-evaluation',
  'semantic-search',
  'twilio-realtime-calls',
  'update-assistant-fields',
  'web-calls',
].map((name) => `test/service/${name}.test.ts`);

/**
 * Files of `test/service` that `npm test` leaves to `npm test -- ci`, to save time:
 * each needs the processor for five to fifteen seconds.
 */
const long = [
  'assistant-call-fields',
  'call-retry-after-database-error',
  'campaign-in-background',
  'conversation-inactivity',
  'disabled-webhooks',
  'embedding-refusals',
  'knowledge-language',
  'language-model',
  'lead-outcomes',
  'mid-call-tools',
  'model-problems',
  'realtime-web-calls',
  'run-campaign',
  'silent-webhook-receivers',
  'stuck-documents',
  'tenancy',
  'twilio-calls',
  'web-call-limits',
  'web-call-recordings',
  'websites',
].map((name) => `test/service/${name}.test.ts`);

/** As {@link long}, of other folders: thousands of runs with connections cut in different places, and slow answers. */
const longUnitTests = [
  'conversation/cut-connections',
  'conversation/exactly-once',
  'markdown/hostile-answers',
].map((name) => `test/widget/${name}.test.ts`);

/** Files that run the service in separate processes: to kill them, to let several share a database, for the command line. */
const ownProcesses = 'test/service/processes/*.test.ts';

/** Builds sites that bundle the chat, and measures them. */
const bundleTests = 'test/size/bundle.test.ts';

/** Screenshots, visible controls in every view, and accessibility of every page of the documentation. */
const appearance = ['documentation', 'documentation-picture', 'pictures', 'visibility'].map(
  (name) => `test/e2e/${name}.spec.ts`,
);

/** Pages that get in the way of the chat, and pages that replace each other without a reload: the slowest of `test/e2e`. */
const pages = ['hostile-pages', 'page-swaps'].map((name) => `test/e2e/${name}.spec.ts`);

/** Tests of everything that a pooler can break, by its mode: sessions, notifications, jobs, locks, named statements. */
const withPooler = {
  session: ['conversation-events', 'database', 'jobs', 'seeds'],
  transaction: [
    'conversation-events',
    'database',
    'jobs',
    'rate-limit',
    'seeds',
    'stop-reply',
    'processes/two-processes',
  ],
};

/**
 * For tests with time limits: the dozens of processes of three browsers leave a fifth of a core to another suite, which then
 * takes six times as long.
 */
const besideNoBrowsers = ['browser', 'browser-calls'];

/** Tests of calls in the built element: audio over WebRTC keeps the processor busy for two minutes. */
const browserCalls = 'test/browser/call.test.ts';

const find = (pattern: string, ...exclude: string[]) =>
  globSync(pattern, { cwd: repository, exclude }).sort();

/** Tests of the service, on one kind of database. */
function serviceSuite(group: string, database: 'pglite' | 'postgres', files: readonly string[]): Suite {
  return {
    name: `${group}:${database}`,
    // One process, since loading the service and starting a database takes longer than most of these files.
    // A large young generation, since the embedded database allocates many short-lived objects.
    run: nodeTests(files, ...inOneProcess, '--max-semi-space-size=64'),
    again: (again) => nodeTests(again, ...inOneProcess),
    env: { TEST_DATABASE: database },
    counts: 'tests',
    // The service warns as long as the widget is not built.
    after: ['build'],
    limit: 60,
  };
}

/**
 * Whether a test mocks the timers of its process. It needs a process of its own: the services that other tests have left
 * would get mocked timers too, which never fire, and which node:test confuses with those of the next mock.
 */
const mocksTimers = (file: string) =>
  /timers\.enable\(\{ apis: \['set/.test(readFileSync(join(repository, file), 'utf8'));

/** Tests of the service that mock timers, on one kind of database. */
function mockedTimersSuite(database: 'pglite' | 'postgres', files: readonly string[]): Suite {
  const suite = serviceSuite('service', database, []);
  return {
    ...suite,
    name: `${suite.name}:timers`,
    run: nodeTests(files.filter(mocksTimers)),
    again: (again) => nodeTests(again),
    // At once: they need no widget, and the build leaves a core free.
    after: [],
  };
}

/** Tests of the built element, with Web Test Runner. */
function browserSuite(name: string, files: readonly string[], ...after: string[]): Suite {
  return {
    name,
    run: [process.execPath, join(repository, 'test/browser.ts'), '--repeat', ...files],
    counts: 'tests',
    after: ['build', 'e2e', 'pages', 'appearance', ...after],
    limit: 40,
  };
}

/** Tests of whole pages in browsers. */
function e2eSuite(name: string, files: readonly string[]): Suite {
  return {
    name,
    run: nodeTests(files, '--test-concurrency=1'),
    again: (again) => nodeTests(again, '--test-concurrency=1'),
    counts: 'tests',
    after: ['build'],
    limit: 40,
  };
}

/** The suites, in starting order. Two or three run at a time: one with browsers, and others that need the processor. */
export function allSuites(): Suite[] {
  const unitTests = find(
    'test/**/*.test.ts',
    'test/browser/**',
    'test/service/**',
    'test/dependencies/**',
    'test/deployment/**',
    'test/faults/**',
    'test/size/**',
    'test/leak/**',
    'test/examples/**',
    'test/telephone/**',
    'test/systemd/**',
    'test/compose/**',
    'test/voice/**',
    'test/demo/**',
    'test/package/**',
    'test/knowledge/**',
    'test/docs/**',
    ...longUnitTests,
  );
  const serviceTests = find('test/service/**/*.test.ts', ownProcesses);
  const serviceTestsOnPostgres = serviceTests.filter((file) => !onOneDatabase.includes(file));
  const hasOwnSuite = (file: string) => mocksTimers(file) || long.includes(file) || slow.includes(file);
  const examplesSuite = (name: string, isAlwaysRun: boolean): Suite => ({
    name,
    run: nodeTests(
      find('test/examples/**/*.test.ts'),
      // Last, since the last one applies. Installing a framework can take minutes.
      '--test-timeout=600000',
    ),
    env: {
      TEST_EXAMPLES: examples
        .filter((example) => (example.isAlwaysRun ?? false) === isAlwaysRun)
        .map((example) => example.name)
        .concat(isAlwaysRun ? [] : testRunners)
        .join(),
    },
    counts: 'tests',
    after: ['build'],
    limit: 40,
  });
  return [
    { name: 'build', run: ['npm', 'run', '--silent', 'build'], counts: 'check', limit: 10 },
    e2eSuite('e2e', find('test/e2e/**/*.spec.ts', ...appearance, ...pages)),
    { ...e2eSuite('pages', pages), after: ['build', 'e2e'], onlyIf: 'ci' },
    { ...e2eSuite('appearance', appearance), after: ['build', 'e2e', 'pages'], onlyIf: 'all' },
    browserSuite('browser', find('test/browser/**/*.test.ts', browserCalls)),
    { ...browserSuite('browser-calls', [browserCalls], 'browser'), onlyIf: 'ci' },
    // Early, since they take longest.
    ...inParts(
      serviceTests.filter((file) => !hasOwnSuite(file)),
      2,
    ),
    mockedTimersSuite('pglite', serviceTests),
    {
      ...serviceSuite('service', 'pglite', long),
      name: 'service:pglite:long',
      after: besideNoBrowsers,
      onlyIf: 'ci',
    },
    { ...serviceSuite('slow', 'pglite', slow), onlyIf: 'all' },
    // In two processes: ESLint keeps the types of all files that it has read in memory.
    { name: 'lint:sources', run: program('eslint', 'src'), counts: 'check', onlyIf: 'ci', limit: 20 },
    {
      name: 'lint:rest',
      run: program('eslint', '.', '--ignore-pattern', 'src/'),
      counts: 'check',
      onlyIf: 'ci',
      limit: 20,
    },
    {
      name: 'types',
      run: program('tsc', '--build'),
      counts: 'check',
      after: ['build'],
      onlyIf: 'ci',
      limit: 10,
    },
    {
      name: 'lint:format',
      run: program('prettier', '--check', '.'),
      counts: 'check',
      onlyIf: 'ci',
      limit: 10,
    },
    { name: 'unit', run: nodeTests(unitTests), counts: 'tests', after: ['build'], limit: 40 },
    { name: 'unit:long', run: nodeTests(longUnitTests), counts: 'tests', onlyIf: 'ci', limit: 10 },
    {
      name: 'docs',
      // One process, since loading the interface's description takes longer than most of these files.
      run: nodeTests(find('test/docs/**/*.test.ts'), ...inOneProcess),
      counts: 'tests',
      after: ['build'],
      limit: 10,
    },
    {
      ...serviceSuite(
        'service',
        'postgres',
        serviceTestsOnPostgres.filter((file) => !mocksTimers(file)),
      ),
      after: besideNoBrowsers,
      onlyIf: 'ci',
    },
    { ...mockedTimersSuite('postgres', serviceTestsOnPostgres), after: besideNoBrowsers, onlyIf: 'ci' },
    ...['demo', 'package', 'knowledge'].map((name): Suite => ({
      name,
      run: nodeTests(find(`test/${name}/**/*.test.ts`)),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'ci',
      limit: 20,
    })),
    { ...serviceSuite('processes', 'pglite', find(ownProcesses)), onlyIf: 'all' },
    { ...serviceSuite('processes', 'postgres', find(ownProcesses, ...onOneDatabase)), onlyIf: 'all' },
    ...Object.entries(withPooler).map(([mode, names]): Suite => {
      const files = names.map((name) => `test/service/${name}.test.ts`);
      const suite = serviceSuite('pooler', 'postgres', files);
      return {
        ...suite,
        name: `pooler:${mode}`,
        // Some of them mock timers.
        run: nodeTests(files, '--test-concurrency=1'),
        again: (again) => nodeTests(again),
        env: { ...suite.env, TEST_POOLER: mode },
        onlyIf: 'all',
        limit: 10,
      };
    }),
    {
      name: 'voice',
      run: nodeTests(find('test/voice/**/*.test.ts'), ...inRealTime),
      again: (files) => nodeTests(files, ...inRealTime),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'all',
      limit: 20,
    },
    {
      name: 'size',
      run: nodeTests(find('test/size/**/*.test.ts', bundleTests)),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'ci',
      limit: 10,
    },
    {
      name: 'size:bundles',
      run: nodeTests([bundleTests]),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'ci',
      limit: 10,
    },
    {
      name: 'leak',
      run: nodeTests(find('test/leak/**/*.test.ts')),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'all',
      limit: 10,
    },
    {
      name: 'deployment',
      // One at a time: the files pack the service into the same folder.
      run: nodeTests(
        find('test/deployment/**/*.test.ts'),
        '--test-concurrency=1',
        // Last, since the last one applies.
        '--test-timeout=600000',
      ),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'all',
      limit: 20,
    },
    {
      name: 'dependencies',
      run: nodeTests(find('test/dependencies/**/*.test.ts')),
      counts: 'tests',
      after: ['build'],
      limit: 10,
    },
    { ...examplesSuite('examples:light', true), onlyIf: 'ci' },
    { ...examplesSuite('examples:more', false), after: ['build', 'examples:light'], onlyIf: 'named' },
    {
      name: 'exhaustive',
      run: nodeTests(
        ['cut-connections', 'exactly-once'].map((name) => `test/widget/conversation/${name}.test.ts`),
        '--test-timeout=3600000',
      ),
      env: { TEST_EXHAUSTIVE: '1' },
      counts: 'tests',
      onlyIf: 'named',
      limit: 120,
    },
    {
      name: 'faults',
      run: nodeTests(
        find('test/faults/**/*.test.ts'),
        '--test-concurrency=1',
        // Last, since the last one applies.
        '--test-timeout=600000',
      ),
      counts: 'tests',
      onlyIf: 'named',
      limit: 30,
    },
    {
      name: 'telephone',
      // Installs Asterisk at the first start.
      run: nodeTests(find('test/telephone/**/*.test.ts'), '--test-concurrency=1', '--test-timeout=600000'),
      counts: 'tests',
      onlyIf: 'named',
      limit: 30,
    },
    ...['systemd', 'compose'].map((name): Suite => ({
      name,
      // Installing a system or building an image can take minutes.
      run: nodeTests(find(`test/${name}/**/*.test.ts`), '--test-timeout=900000'),
      counts: 'tests',
      after: ['build'],
      onlyIf: 'named',
      limit: 30,
    })),
  ];
}

/**
 * Divides a suite of the embedded database into parts: its databases stay open until the process ends, so one process
 * for all files would need 4 GB, and two parts can run at a time.
 */
function inParts(files: readonly string[], count: number): Suite[] {
  return Array.from({ length: count }, (_, part) => {
    const suite = serviceSuite(
      'service',
      'pglite',
      files.filter((_file, at) => at % count === part),
    );
    return { ...suite, name: `${suite.name}:${String(part + 1)}` };
  });
}

/**
 * The arguments that stand for many suites, with the levels they contain: `ci` is what must pass before a change is
 * merged, `all` is everything that runs without being named.
 */
export const runs: Record<string, readonly Suite['onlyIf'][]> = {
  ci: [undefined, 'ci'],
  all: [undefined, 'ci', 'all'],
};

/**
 * Returns the named suites; without names, those of `npm test`; for `ci` and `all`, those of that run. Adds the build if
 * a suite needs it and there is none of the current sources.
 *
 * @throws {Error} if a name is unknown; the message lists the known ones
 */
export function selectSuites(names: readonly string[], needsBuild = !isBuilt(repository)): Suite[] {
  const suites = allSuites();
  for (const name of names) {
    if (!(name in runs) && !suites.some((suite) => goesBy(suite, name))) {
      throw new Error(
        `There is no suite "${name}". There are ${suites.map((suite) => suite.name).join(', ')}.`,
      );
    }
  }
  if (names.length === 0) return suites.filter(({ onlyIf }) => onlyIf === undefined);
  const named = suites.filter((suite) =>
    names.some((name) => goesBy(suite, name) || runs[name]?.includes(suite.onlyIf)),
  );
  const addsBuild = needsBuild && named.some(({ after }) => after?.includes('build'));
  return suites.filter((suite) => named.includes(suite) || (addsBuild && suite.name === 'build'));
}

/** Whether a suite has a given name or belongs to a group or variant of that name. */
export function goesBy(suite: Suite, name: string): boolean {
  return suite.name === name || suite.name.startsWith(`${name}:`);
}

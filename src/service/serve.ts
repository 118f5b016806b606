import type { AddressInfo } from 'node:net';
import type { Server, ServerOptions } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { CallRunner } from './call/call-runner.ts';
import { failAbandonedCalls } from './call/outcome/fail-abandoned-calls.ts';
import type { EndCallDependencies } from './call/outcome/end-call.ts';
import type { Carrier } from './carrier/carrier.ts';
import { createCarrier } from './carrier/create-carrier.ts';
import type { CarrierNumbers } from './carrier/carrier-numbers.ts';
import { SimulatedNumbers } from './carrier/simulated-numbers.ts';
import { listenForCommands } from './cli/command-socket.ts';
import type { Config } from './config.ts';
import { ConversationEvents } from './conversation/conversation-events.ts';
import { startHousekeeping } from './housekeeping.ts';
import { Replies } from './conversation/replies.ts';
import { failAbandonedReplies } from './conversation/fail-abandoned-replies.ts';
import { ChangeNotifier } from './conversation/change-notifier.ts';
import type { Database } from './db/database.ts';
import { recordHeartbeat } from './db/heartbeat.ts';
import { checkSecretsAtStart } from './db/secrets/check-secrets.ts';
import { openDatabase } from './open-database.ts';
import { createEngine } from './engine/create-engine.ts';
import { storeModels } from './engine/store-models.ts';
import { listen, PendingRequests } from './http/listen.ts';
import { StoredJobs } from './jobs/jobs.ts';
import { startWork } from './jobs/work.ts';
import { createWorkers } from './workers.ts';
import { Embedder } from './knowledge/embedder.ts';
import { preparePgvector } from './knowledge/semantic-search.ts';
import { createLog } from './log.ts';
import { askInboundWebhook } from './webhook/ask-inbound-webhook.ts';
import { warnOfMissingWidget } from './routes/widget-files.ts';
import { sendHourlyMaintenance } from './hourly-maintenance.ts';
import { createUsageRecorder } from './usage/model-usage.ts';
import { observeQueues } from './telemetry/observe-queues.ts';
import { queueNames } from './jobs/queues.ts';
import { createFetchGuarded } from './outgoing/fetch-guarded.ts';
import { LineFactory } from './realtime/line-factory.ts';
import { storeVoices } from './realtime/store-voices.ts';
import { loadVoice } from './voice/load-voice.ts';
import { openSpeech } from './voice/open-speech.ts';
import type { VoiceModule } from './voice/voice-module.ts';
import { WebCalls } from './web-call/web-calls.ts';

/** A running service. */
export interface RunningService {
  /** The origin where it listens. */
  url: string;
  port: number;
  database: Database;
  /**
   * Stops accepting requests, waits for pending replies and jobs as long as the settings allow, then releases all
   * resources.
   */
  close(): Promise<void>;
}

/** Time for the last responses to reach their clients, in milliseconds. */
const drainMs = 2000;

/**
 * The composition root: opens the database, migrates it, and listens.
 *
 * @param options.mount adds routes to the application.
 * @param options.database an open database, which the caller may share among services and closes afterwards; by default
 * the configured one is opened.
 * @param options.carrier replaces the configured carrier.
 * @param options.numbers replaces the numbers that the simulated carrier sells.
 * @param options.testsModels whether each language model is sent a short message, in the background.
 * @param options.voice replaces the optional package for web calls.
 * @throws OperatorError if the settings, the database or the address cannot be used.
 */
export async function serve(
  config: Config,
  options: {
    mount?: (app: Hono) => void;
    log?: Logger;
    database?: Database;
    carrier?: Carrier;
    numbers?: CarrierNumbers;
    testsModels?: boolean;
    voice?: VoiceModule;
  } = {},
): Promise<RunningService> {
  const log = options.log ?? createLog(config.logLevel);
  const ownsDatabase = options.database === undefined;
  const database = options.database ?? (await openDatabase(config, log));
  const closeDatabase = async () => {
    if (ownsDatabase) await database.close();
  };
  try {
    await checkSecretsAtStart(database, log);
    // As early as possible: a restart within half a lease is not an outage.
    await recordHeartbeat(database.db, config.reply.leaseMs);
    // An embedded database has no other process, so all pending work was abandoned.
    const hasNoOtherProcess = ownsDatabase && database.kind === 'pglite';
    if (hasNoOtherProcess) await failAllAbandoned(database, log);
    await storeModels(database, config.models);
    await storeVoices(database, config.voice.speech, config.models);
    const jobs = new StoredJobs(database);
    if (hasNoOtherProcess) await endAllAbandonedCalls({ database, jobs });
    const notifier = new ChangeNotifier();
    const recordUsage = createUsageRecorder(database, log);
    const engine = createEngine(config, log, recordUsage);
    const fetchGuarded = createFetchGuarded(config.allowedAddresses);
    const embedder = config.embedding && new Embedder(config.embedding, log);
    if (embedder) await prepareEmbedding(database, jobs, log);
    const context = { database, fetchGuarded, embedder };
    const replies = new Replies({ ...context, jobs, engine, notifier, config: config.reply, log });
    let url = '';
    const publicUrl = () => config.publicUrl ?? url;
    const stock = options.numbers ?? new SimulatedNumbers(database.db);
    const loadedVoice = options.voice
      ? { module: options.voice, problems: options.voice.problems }
      : await loadVoice(config.voice, log);
    const { module: voiceModule, problems: voiceProblems } = loadedVoice;
    const lineFactory = new LineFactory({
      speech: await openSpeech(config.voice.speech, voiceModule),
      createDetector: voiceModule?.createDetector,
      models: config.models,
      transcriptionModel: config.voice.transcriptionModel,
      recordUsage,
      missing: voiceProblems[0],
    });
    const carrier =
      options.carrier ??
      (await createCarrier(config.carrier, { numbers: stock, lineFactory, voiceProblems, log }));
    const { numbers } = carrier;
    const calls = new CallRunner({
      ...context,
      jobs,
      engine,
      recordUsage,
      carrier,
      rules: config.calls,
      webCallLimits: config.webCallLimits,
      notifier,
      log,
      prepareInbound: (callId) => askInboundWebhook({ database, fetch: fetchGuarded, log }, callId),
      leaseMs: config.reply.leaseMs,
      replyMs: config.reply.timeoutMs,
    });
    carrier.open(calls);
    let stopping = false;
    const events = new ConversationEvents({ database, notifier, log });
    const webCalls = new WebCalls({
      database,
      jobs,
      calls,
      events,
      notifier,
      log,
      ...loadedVoice,
      lineFactory,
      config: config.voice,
      limits: config.webCallLimits,
    });
    const app = createApp({
      carrier,
      config,
      database,
      events,
      jobs,
      numbers,
      replies,
      notifier,
      webCalls,
      log,
      modelProblems: engine.problems,
      isStopping: () => stopping,
    });
    options.mount?.(app);

    const requests = new PendingRequests();
    const fetch: typeof app.fetch = (...request) => requests.track(app.fetch(...request));
    const serverOptions: ServerOptions = {
      // Requests that offer another protocol, such as HTTP/2, are answered without an upgrade. Node 22.21 and 24.9 added this.
      shouldUpgradeCallback: ({ headers }) =>
        carrier.upgrade !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
    };
    const server = createAdaptorServer({ fetch, serverOptions }) as Server;
    server.keepAliveTimeout = keepAliveMs;
    if (carrier.upgrade) server.on('upgrade', carrier.upgrade.bind(carrier));
    await listen(server, config.host, config.port);
    const { port } = server.address() as AddressInfo;
    url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    if (config.publicUrl === undefined && !/^(127\.|::1$|localhost$)/.test(config.host)) {
      log.warn(`PUBLIC_URL is not set: recording URLs in webhooks begin with ${url}`);
    }
    const stopCommands = hasNoOtherProcess ? await listenForCommands({ config, database }, log) : undefined;
    const widgetWarning = warnOfMissingWidget(config.widgetDir);
    if (widgetWarning !== undefined) log.warn(widgetWarning);
    const workers = config.jobs.workers
      ? createWorkers({
          ...context,
          publicUrl,
          config,
          jobs,
          calls,
          carrier,
          numbers,
          engine,
          fetch: fetchGuarded,
          log,
        })
      : [];
    if (workers.length > 0) await sendHourlyMaintenance(jobs);
    else if (hasNoOtherProcess) {
      log.warn(
        'WORKERS is off, and no other process can use the embedded database: no webhook is sent, no document read, no ' +
          'phone call made, and nothing cleaned up. This is only for trying a backup.',
      );
    }
    const stopWork =
      workers.length > 0 ? await startWork(database, jobs, workers, config.jobs.pollMs, log) : undefined;
    const stopObserving = observeQueues(jobs.boss, queueNames, log);
    const stopHousekeeping = startHousekeeping({ database, jobs, replies, calls, carrier, log });
    const close = async () => {
      stopping = true;
      log.info('stopping');
      const closed = Promise.withResolvers<undefined>();
      server.close(() => {
        closed.resolve(undefined);
      });
      const deadline = performance.now() + config.shutdownMs;
      await Promise.all([
        stopCommands?.(),
        events.close(),
        requests.finish(config.shutdownMs),
        replies.finish(config.shutdownMs),
        stopWork?.(config.shutdownMs),
        calls.finish(config.shutdownMs),
        webCalls.finish(),
      ]);
      // Requests that were being handled when the stop began may have started more replies.
      await replies.finish(Math.max(0, deadline - performance.now()));
      await drain(server, closed.promise);
      await replies.finish(0);
      await calls.finish(0);
      await webCalls.finish();
      await carrier.close?.();
      await voiceModule?.close();
      await stopHousekeeping();
      stopObserving();
      await closeDatabase();
      log.info('stopped');
    };
    let closing: Promise<void> | undefined;
    log.info({ port, database: database.kind, model: config.languageModel?.model ?? 'offline' }, 'listening');
    if (options.testsModels === true) void engine.test();
    return { url, port, database, close: () => (closing ??= close()) };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

async function failAllAbandoned(database: Database, log: Logger): Promise<void> {
  for (let abandoned = -1; abandoned !== 0;) {
    abandoned = await failAbandonedReplies(database, 'any');
    if (abandoned > 0) log.warn({ abandoned }, 'refunded replies that the last stop interrupted');
  }
}

async function endAllAbandonedCalls(dependencies: EndCallDependencies): Promise<void> {
  while ((await failAbandonedCalls(dependencies, 'any')).ended > 0);
}

/** Chunks that were stored without an embedder, or with another model, are embedded in the background. */
async function prepareEmbedding({ db }: Database, jobs: StoredJobs, log: Logger): Promise<void> {
  if (!(await preparePgvector(db)))
    log.warn('the database has no pgvector, so semantic search is unavailable in large knowledge bases');
  await jobs.send('embed-chunks', {});
}

/**
 * How long an unused connection is kept open. Longer than proxies keep theirs (nginx: 60 s), since a request that is sent
 * while its connection is being closed fails.
 */
const keepAliveMs = 75_000;

/** Closes connections once their responses are sent; those of clients that do not read are closed after a while. */
async function drain(server: Server, closed: Promise<undefined>): Promise<void> {
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, 20);
  const late = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { z } from 'zod';
import type { CallRules } from './billing/call-limits.ts';
import type { WebCallLimits } from './billing/web-call-limits.ts';
import type { CarrierConfig } from './carrier/carrier-config.ts';
import { readAsteriskConfig } from './carrier/asterisk/read-asterisk-config.ts';
import { readTwilioConfig } from './carrier/twilio/read-twilio-config.ts';
import { readModels } from './engine/read-models.ts';
import type { LanguageModelConfig, ModelConfig } from './engine/read-models.ts';
import type { SecretKey } from './db/secrets/secret-keys.ts';
import type { EmbeddingConfig } from './knowledge/embedder.ts';
import type { AllowedCountries } from './lib/callable-number.ts';
import { OperatorError } from './operator-error.ts';
import type { AllowedAddresses } from './outgoing/allowed-addresses.ts';
import { withoutBlank } from './read-environment.ts';
import { settings } from './settings.ts';
import { readSynthesizers, readTranscribers } from './voice/read-speech-providers.ts';
import type { SpeechConfig } from './voice/speech-config.ts';
import type { WebCallConfig } from './voice/web-call-config.ts';

/** A setting is missing or invalid. The message names the variable and the allowed values. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

const Environment = z.object(
  Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof typeof settings]: (typeof settings)[Name]['schema'];
  },
);

/** The validated settings of the service, which `settings.ts` describes. Comments are on what a value is converted to. */
export interface Config {
  port: number;
  host: string;
  dataDir: string;
  fsync: boolean;
  databaseUrl: string | undefined;
  /** The server behind a pooler in transaction mode. */
  databaseDirectUrl: string | undefined;
  databasePoolSize: number;
  /** Empty if secrets are stored unencrypted. */
  secretKeys: SecretKey[];
  widgetDir: string;
  /** Undefined for the offline engine. */
  languageModel: LanguageModelConfig | undefined;
  models: ModelConfig[];
  /** Undefined for full text search only. */
  embedding: EmbeddingConfig | undefined;
  reply: { timeoutMs: number; leaseMs: number; keepAliveMs: number };
  shutdownMs: number;
  jobs: { workers: boolean; pollMs: number };
  /** Without a trailing slash; undefined for the address where the service listens. */
  publicUrl: string | undefined;
  carrier: CarrierConfig;
  /** A number is `Infinity` if it is not limited. */
  calls: CallRules;
  /** A number is `Infinity` if it is not limited. */
  webCallLimits: WebCallLimits;
  voice: WebCallConfig;
  webhooks: { timeoutMs: number; retryMs: number[] };
  /** Undefined if conversations and calls are kept forever. */
  retentionDays: number | undefined;
  /** Undefined if the audit log is kept forever. */
  auditDays: number | undefined;
  rateLimit: { requests: number; windowSeconds: number };
  allowedAddresses: AllowedAddresses;
  trustedProxies: number;
  logLevel: string;
}

/**
 * Reads the settings from environment variables; blank ones count as unset.
 *
 * @throws ConfigError for the first invalid variable.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = withoutBlank(env);
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const variable = String(issue?.path[0] ?? 'The environment');
    throw new ConfigError(`${variable} ${issue?.message ?? 'is wrong'}.`);
  }
  const values = parsed.data;
  const price = { input: values.LLM_INPUT_PRICE, output: values.LLM_OUTPUT_PRICE };
  const defaults = {
    model: values.LLM_MODEL,
    idleTimeoutMs: values.LLM_IDLE_TIMEOUT_SECONDS * 1000,
    price: price.input + price.output > 0 ? price : undefined,
  };
  const isModelNamed = values.LLM_BASE_URL !== undefined || values.LLM_API_KEY !== undefined;
  const languageModel = isModelNamed
    ? { ...defaults, baseUrl: values.LLM_BASE_URL, apiKey: values.LLM_API_KEY }
    : undefined;
  const models = readList('MODELS', values.MODELS, (list) =>
    readModels(list, given, { ...defaults, ...languageModel }),
  );
  const speech = readSpeech(values, given);
  // The voices of both are stored by the code of their provider.
  const sharedModel = models.find(
    ({ code, realtime }) => realtime?.voices.length && speech.synthesizers.some((each) => each.code === code),
  );
  if (sharedModel) {
    throw new ConfigError(
      `SPEECH_MODELS must have other codes than the realtime models in MODELS: ${sharedModel.code} is one.`,
    );
  }
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir: values.DATA_DIR,
    fsync: values.FSYNC,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    secretKeys: values.SECRET_KEYS,
    widgetDir: values.WIDGET_DIR,
    languageModel,
    models,
    embedding:
      values.EMBEDDING_BASE_URL === undefined && values.EMBEDDING_API_KEY === undefined
        ? undefined
        : {
            baseUrl: values.EMBEDDING_BASE_URL,
            apiKey: values.EMBEDDING_API_KEY,
            model: values.EMBEDDING_MODEL,
          },
    reply: {
      timeoutMs: values.REPLY_TIMEOUT_SECONDS * 1000,
      leaseMs: values.REPLY_LEASE_SECONDS * 1000,
      keepAliveMs: values.KEEP_ALIVE_SECONDS * 1000,
    },
    shutdownMs: values.SHUTDOWN_SECONDS * 1000,
    jobs: { workers: values.WORKERS, pollMs: values.JOB_POLL_SECONDS * 1000 },
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, ''),
    carrier: {
      secondMs: values.CARRIER_SECONDS * 1000,
      outcomes: values.CARRIER_OUTCOMES,
      twilio: values.CARRIER === 'twilio' ? readTwilio(values) : undefined,
      asterisk: values.CARRIER === 'asterisk' ? readAsterisk(values) : undefined,
    },
    calls: {
      countries: values.CARRIER_COUNTRIES ?? defaultCountries(values),
      inParallel: values.MAX_CALLS_IN_PARALLEL || Infinity,
      perDay: values.MAX_CALLS_PER_DAY || Infinity,
    },
    webCallLimits: {
      perAssistant: values.VOICE_CALLS_PER_ASSISTANT || Infinity,
      visitorMinutes: values.VOICE_VISITOR_MINUTES_PER_DAY || Infinity,
      ownerMinutes: values.VOICE_OWNER_MINUTES_PER_DAY || Infinity,
      testMinutes: values.VOICE_TEST_MINUTES_PER_DAY || Infinity,
    },
    voice: {
      isEnabled: values.VOICE,
      udpPorts: values.VOICE_UDP_PORTS,
      publicAddress: values.VOICE_PUBLIC_ADDRESS,
      voicesFolder: values.VOICE_MODEL_DIR,
      transcriptionModelsFolder: values.TRANSCRIPTION_MODEL_DIR,
      stunUrl: values.VOICE_STUN_URL,
      turn: readTurn(values),
      speech,
      transcriptionModel: values.TRANSCRIPTION_MODEL,
    },
    webhooks: {
      timeoutMs: values.WEBHOOK_TIMEOUT_SECONDS * 1000,
      retryMs: values.WEBHOOK_RETRY_SECONDS,
    },
    retentionDays: values.RETENTION_DAYS === 0 ? undefined : values.RETENTION_DAYS,
    auditDays: values.AUDIT_DAYS === 0 ? undefined : values.AUDIT_DAYS,
    rateLimit: { requests: values.RATE_LIMIT, windowSeconds: values.RATE_LIMIT_WINDOW_SECONDS },
    allowedAddresses: values.ALLOW_PRIVATE_ADDRESSES,
    trustedProxies: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
  };
}

function readTurn({ VOICE_TURN_URL: url, VOICE_TURN_SECRET: secret }: z.infer<typeof Environment>) {
  if (url === undefined) return undefined;
  if (secret !== undefined) return { url, secret };
  throw new ConfigError(
    'VOICE_TURN_SECRET must be set with VOICE_TURN_URL: the shared secret of that server.',
  );
}

/** The endpoint that speaks also transcribes, unless there is another one. */
function readSpeech(
  values: z.infer<typeof Environment>,
  env: Record<string, string | undefined>,
): SpeechConfig {
  const speechServer = serverOf(values.SPEECH_BASE_URL, values.SPEECH_API_KEY);
  const transcriptionServer =
    serverOf(values.TRANSCRIPTION_BASE_URL, values.TRANSCRIPTION_API_KEY) ?? speechServer;
  const speech = { model: values.SPEECH_MODEL, voice: values.SPEECH_VOICE };
  const transcription = { model: values.TRANSCRIPTION_MODEL };
  return {
    synthesizer: speechServer && { ...speechServer, ...speech },
    transcriber: transcriptionServer && { ...transcriptionServer, ...transcription },
    isProvisional: values.TRANSCRIPTION_PROVISIONAL,
    synthesizers: readList('SPEECH_MODELS', values.SPEECH_MODELS, (list) =>
      readSynthesizers(list, env, { ...speech, server: speechServer }),
    ),
    transcribers: readList('TRANSCRIPTION_MODELS', values.TRANSCRIPTION_MODELS, (list) =>
      readTranscribers(list, env, { ...transcription, server: transcriptionServer }),
    ),
  };
}

const serverOf = (baseUrl: string | undefined, apiKey: string | undefined) =>
  baseUrl === undefined && apiKey === undefined ? undefined : { baseUrl, apiKey };

function readTwilio(values: z.infer<typeof Environment>) {
  return withConfigError(() =>
    readTwilioConfig({
      accountSid: values.TWILIO_ACCOUNT_SID,
      authToken: values.TWILIO_AUTH_TOKEN,
      apiKey: values.TWILIO_API_KEY,
      apiSecret: values.TWILIO_API_SECRET,
      apiUrl: values.TWILIO_API_URL,
      phoneNumber: values.TWILIO_PHONE_NUMBER,
      callsPerSecond: values.TWILIO_CALLS_PER_SECOND,
      publicUrl: values.PUBLIC_URL,
    }),
  );
}

function readAsterisk(values: z.infer<typeof Environment>) {
  return withConfigError(() =>
    readAsteriskConfig({
      url: values.ASTERISK_URL,
      user: values.ASTERISK_USER,
      password: values.ASTERISK_PASSWORD,
      endpoint: values.ASTERISK_ENDPOINT,
      application: values.ASTERISK_APPLICATION,
      phoneNumber: values.ASTERISK_PHONE_NUMBER,
    }),
  );
}

function withConfigError<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new ConfigError((error as Error).message, { cause: error });
  }
}

/** Real calls cost money, so by default they only go to the country of the operator's own number. */
function defaultCountries({
  CARRIER: carrier,
  TWILIO_PHONE_NUMBER: twilioNumber,
  ASTERISK_PHONE_NUMBER: asteriskNumber,
}: z.infer<typeof Environment>): AllowedCountries {
  if (carrier === 'simulated') return 'all';
  const own = carrier === 'twilio' ? twilioNumber : asteriskNumber;
  const country = own === undefined ? undefined : parsePhoneNumberFromString(own)?.country;
  if (country !== undefined) return new Set([country]);
  throw new ConfigError(
    `CARRIER_COUNTRIES must list the countries that may be called, such as DE,AT. The default is the country of ${carrier.toUpperCase()}_PHONE_NUMBER.`,
  );
}

function readList<Entry>(name: string, given: string | undefined, read: (given: string) => Entry[]): Entry[] {
  try {
    return given === undefined ? [] : read(given);
  } catch (error) {
    throw new ConfigError(`${name} ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
}

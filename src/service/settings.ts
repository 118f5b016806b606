import { join } from 'node:path';
import { isSupportedCountry } from 'libphonenumber-js';
import { z } from 'zod';
import type { AllowedCountries } from './lib/callable-number.ts';
import { readOutcomes } from './carrier/read-outcomes.ts';
import { readSecretKeys } from './db/secrets/secret-keys.ts';
import type { SecretKey } from './db/secrets/secret-keys.ts';
import { AllowedAddresses } from './outgoing/allowed-addresses.ts';

/** A host and a port in the address of a STUN or TURN server. Unlike in other URLs, no slashes come before it. */
const hostAndPort = '([\\w.-]+|\\[[\\da-fA-F:.]+\\])(:\\d{1,5})?';

/** An environment variable, with its check and its description for `--help` and the documentation. */
export interface Setting<Value = unknown> {
  /** The kind of its value, as `--help` shows it. */
  type: 'integer' | 'number' | 'string' | 'one of' | 'URL' | 'list';
  schema: z.ZodType<Value>;
  /** The default as one would write it; undefined if there is none. */
  default: string | undefined;
  /** Ends without a full stop. */
  text: string;
  /** Values that it accepts, where they can be listed. */
  accepts?: string;
}

function number(min: number, max: number, fallback: number, text: string): Setting<number> {
  const error = `must be a number from ${min} to ${max}`;
  return {
    type: 'number',
    schema: z.coerce.number(error).min(min, error).max(max, error).default(fallback),
    default: String(fallback),
    text,
    accepts: `${min.toLocaleString('en')} to ${max.toLocaleString('en')}`,
  };
}

function wholeNumber(min: number, max: number, fallback: number, text: string): Setting<number> {
  const setting = number(min, max, fallback, text);
  return {
    ...setting,
    type: 'integer',
    schema: setting.schema.refine(Number.isInteger, 'must be a whole number'),
  };
}

function string(fallback: string, text: string): Setting<string> {
  return { type: 'string', schema: z.string().default(fallback), default: fallback, text };
}

const optional = (text: string): Setting<string | undefined> => ({
  type: 'string',
  schema: z.string().optional(),
  default: undefined,
  text,
});

const pattern = (format: RegExp, problem: string, text: string): Setting<string | undefined> => ({
  ...optional(text),
  schema: z.string().regex(format, problem).optional(),
});

const optionalUrl = (text: string, schema: z.ZodType<string> = url()): Setting<string | undefined> => ({
  ...optional(text),
  type: 'URL',
  schema: schema.optional(),
});

function choice<Word extends string>(words: readonly Word[], fallback: Word, text: string): Setting<Word> {
  const error = `must be one of ${words.join(', ')}`;
  return {
    type: 'one of',
    schema: z
      .string()
      .default(fallback)
      .refine((word) => words.includes(word as Word), error)
      .transform((word) => word as Word),
    default: fallback,
    text,
    accepts: words.join(', '),
  };
}

const onOrOff = (fallback: 'on' | 'off', text: string): Setting<boolean> => {
  const setting = choice(['on', 'off'], fallback, text);
  return { ...setting, schema: setting.schema.transform((word) => word === 'on') };
};

const url = () => z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/**
 * Providers write `sslmode=require`. The client checks the certificate in each of these modes, but warns in its log that a
 * later version of it will not.
 */
const checkCertificate = (address: string): string =>
  address.includes('uselibpqcompat=')
    ? address
    : address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be an address that begins with postgres:// or postgresql://')
  .transform(checkCertificate);

/** The published package has the widget beside its compiled code, a checkout in `dist`. */
const builtWidget = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../dist' : '../widget',
);

const defaultOutcomes = 'human=70,machine=15,no-answer=8,busy=5,failed=2';
const defaultRetries = '30,60,120';

/** Every setting of the service, in the order in which they are documented. */
export const settings = {
  PORT: wholeNumber(0, 65_535, 3000, 'Port; 0 picks a free one'),
  HOST: string('127.0.0.1', 'Address to listen on; `0.0.0.0` means all of them'),
  DATA_DIR: string(
    '.data',
    "Folder of the embedded database, earlier versions of the widget, and the demo's API key",
  ),
  FSYNC: onOrOff(
    'on',
    'Whether commits of the embedded database wait for the disk; `off` is faster, but unsafe in a power cut',
  ),
  DATABASE_URL: optionalUrl('`postgres://…`: uses this server instead of the embedded database', postgresUrl),
  DATABASE_POOL_SIZE: wholeNumber(1, 1000, 10, 'Connections to that server'),
  DATABASE_DIRECT_URL: optionalUrl(
    'If `DATABASE_URL` names a pooler in transaction mode: the server behind it, for notifications ([Poolers](scaling.md#poolers))',
    postgresUrl,
  ),
  SECRET_KEYS: {
    type: 'list',
    schema: z.string().optional().transform(readKeys),
    default: undefined,
    text: 'Keys of stored secrets, 32 bytes in base64 each: the first encrypts, all decrypt ([Encryption](self-hosting.md#encryption))',
  } satisfies Setting,
  WIDGET_DIR: {
    type: 'string',
    schema: z.string().default(builtWidget),
    default: 'dist',
    text: 'Folder of the built widget; the published package contains one',
  } satisfies Setting<string>,
  LLM_BASE_URL: optionalUrl(
    "OpenAI-compatible endpoint, such as `http://localhost:11434/v1`; OpenAI's own if only a key is set",
  ),
  LLM_API_KEY: optional('Its key; local servers need none'),
  LLM_MODEL: string('gpt-4.1-mini', 'Its model'),
  LLM_INPUT_PRICE: number(
    0,
    100_000,
    0,
    'USD for a million tokens of its input; without a price, costs are unknown',
  ),
  LLM_OUTPUT_PRICE: number(0, 100_000, 0, 'USD for a million tokens of its output'),
  LLM_IDLE_TIMEOUT_SECONDS: number(
    0.1,
    600,
    30,
    'Longest wait for a response of the model to begin, or to continue',
  ),
  MODELS: optional(
    'Further models that assistants can choose: a JSON list, or a file with one ([Models](models-and-knowledge.md))',
  ),
  EMBEDDING_BASE_URL: optionalUrl(
    'OpenAI-compatible endpoint for embeddings, with which knowledge bases are searched by meaning, too',
  ),
  EMBEDDING_API_KEY: optional("Its key; OpenAI's own endpoint if only this is set"),
  EMBEDDING_MODEL: string(
    'text-embedding-3-small',
    'Its model; after a change all documents are embedded again in the background',
  ),
  REPLY_TIMEOUT_SECONDS: number(0.1, 3600, 120, 'Longest time for one reply'),
  REPLY_LEASE_SECONDS: number(
    0.3,
    3600,
    60,
    'Time after which the reply of a dead process counts as abandoned',
  ),
  KEEP_ALIVE_SECONDS: number(
    0.05,
    300,
    10,
    'Longest silence on an event stream; clients that read nothing for three times that are cut',
  ),
  SHUTDOWN_SECONDS: number(
    0,
    3600,
    25,
    'Maximum time that a shutdown waits for replies, calls and background jobs. With more than 30, also raise ' +
      'stop_grace_period (Compose), --stop-timeout (docker run) or TimeoutStopSec (systemd) to 10 s more',
  ),
  WORKERS: onOrOff('on', 'Whether this process runs background jobs, or only answers requests'),
  RETENTION_DAYS: wholeNumber(
    0,
    36_500,
    0,
    'Days without activity after which conversations and calls are deleted; 0 keeps them',
  ),
  AUDIT_DAYS: wholeNumber(
    0,
    36_500,
    365,
    'Days after which entries of the audit log are deleted; 0 keeps them',
  ),
  JOB_POLL_SECONDS: number(
    0.5,
    3600,
    10,
    'Interval at which this process looks for jobs that no notification announced',
  ),
  RATE_LIMIT: wholeNumber(
    0,
    1_000_000,
    300,
    'Requests from an address (IPv6: /64; four times as many from a /48) in a window; 0 is no limit',
  ),
  RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400, 60, 'Length of that window'),
  TRUST_PROXY: wholeNumber(0, 10, 0, 'Number of proxies in front whose `X-Forwarded-For` is trusted'),
  PUBLIC_URL: optionalUrl(
    'Public address of the service, for recordings and the links of lists; otherwise where it listens',
    // Paths are added to it.
    url().regex(
      /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i,
      'must be an http or https address without a user name, a query or a fragment',
    ),
  ),
  CARRIER: choice(
    ['simulated', 'twilio', 'asterisk'],
    'simulated',
    'Carrier of phone calls: a simulation, [Twilio](twilio.md), or your own [Asterisk](asterisk.md)',
  ),
  TWILIO_ACCOUNT_SID: pattern(
    /^AC[0-9a-f]{32}$/,
    'must be an account SID: AC and 32 hexadecimal digits',
    'Account SID of Twilio, `AC…`',
  ),
  TWILIO_AUTH_TOKEN: optional('Auth token of the account, with which Twilio signs its requests'),
  TWILIO_API_KEY: pattern(
    /^SK[0-9a-f]{32}$/,
    'must be the SID of an API key: SK and 32 hexadecimal digits',
    'API key for requests to Twilio, `SK…`; the account and its auth token by default',
  ),
  TWILIO_API_SECRET: optional('Secret of that API key'),
  TWILIO_PHONE_NUMBER: pattern(
    /^\+[1-9]\d{6,14}$/,
    'must be a phone number such as +4930123456',
    'Twilio number for calls of assistants without a number',
  ),
  TWILIO_CALLS_PER_SECOND: wholeNumber(
    1,
    1000,
    1,
    'Maximum number of calls that all processes together start per second; further calls wait',
  ),
  TWILIO_API_URL: optionalUrl("URL that replaces Twilio's REST API, for a proxy or tests"),
  ASTERISK_URL: optionalUrl("URL of Asterisk's HTTP server, such as `http://127.0.0.1:8088`"),
  ASTERISK_USER: string('voice-assistant-chat', 'User in `ari.conf`'),
  ASTERISK_PASSWORD: optional('Password of that user'),
  ASTERISK_ENDPOINT: string('PJSIP/{number}@trunk', 'Dial string; `{number}` is replaced by the number'),
  ASTERISK_APPLICATION: string(
    'voice-assistant-chat',
    'Name of the Stasis application that the dialplan passes inbound calls to',
  ),
  ASTERISK_PHONE_NUMBER: pattern(
    /^\+[1-9]\d{6,14}$/,
    'must be a phone number such as +4930123456',
    'Number of the trunk, for calls of assistants without a number',
  ),
  SPEECH_BASE_URL: optionalUrl(
    "OpenAI-compatible endpoint for speech in web calls and calls with Asterisk; OpenAI's own if only a key is set. Without both, speech is offline ([Live voice](live-voice.md))",
  ),
  SPEECH_API_KEY: optional('API key of that endpoint; local servers need none'),
  SPEECH_MODEL: string('gpt-4o-mini-tts', 'Model of that endpoint'),
  SPEECH_VOICE: string('alloy', 'Voice of that endpoint'),
  SPEECH_MODELS: optional(
    'More speech providers, with the voices that assistants can choose: a JSON array, or a file with one ([Live voice](live-voice.md#voices))',
  ),
  TRANSCRIPTION_BASE_URL: optionalUrl(
    'Endpoint for transcription, if it differs from `SPEECH_BASE_URL`. If only this one is set, speech output is offline',
  ),
  TRANSCRIPTION_API_KEY: optional('API key of that endpoint'),
  TRANSCRIPTION_MODEL: string('gpt-4o-mini-transcribe', 'Model of that endpoint'),
  TRANSCRIPTION_PROVISIONAL: onOrOff(
    'on',
    'Whether visitors see a transcript while they speak. Sentences are then transcribed several times, up to four times as much audio in total',
  ),
  TRANSCRIPTION_MODELS: optional('More transcription providers, as in `SPEECH_MODELS`'),
  TRANSCRIPTION_MODEL_DIR: optional(
    'Folder with models for offline transcription ([Transcription models of your own](live-voice.md#transcription-models-of-your-own))',
  ),
  CARRIER_SECONDS: number(0, 60, 1, 'Real seconds per second of a simulated call'),
  CARRIER_OUTCOMES: {
    type: 'list',
    schema: z.string().default(defaultOutcomes).transform(readOutcomes),
    default: defaultOutcomes,
    text: 'Outcomes of simulated calls, by weight',
  } satisfies Setting,
  CARRIER_COUNTRIES: {
    type: 'list',
    schema: z.string().optional().transform(readCountries),
    default: undefined,
    text: 'Countries that may be called, such as `DE,AT,CH`; `*` means all. Defaults to all for simulated calls, otherwise to the country of `TWILIO_PHONE_NUMBER` or `ASTERISK_PHONE_NUMBER` ([Inbound calls](inbound-calls.md#limits))',
  } satisfies Setting,
  MAX_CALLS_IN_PARALLEL: wholeNumber(
    0,
    100_000,
    50,
    'Maximum number of calls of an account at once, inbound and outbound; 0 is no limit',
  ),
  MAX_CALLS_PER_DAY: wholeNumber(
    0,
    1_000_000,
    1000,
    'Maximum number of calls of an account per day (UTC), inbound and outbound; 0 is no limit',
  ),
  VOICE: onOrOff(
    'on',
    'Whether visitors can call assistants from a page. Needs the package `voice-assistant-chat-voice` ([Live voice](live-voice.md)). `off` also disables offline speech for calls with Asterisk',
  ),
  VOICE_MODEL_DIR: optional(
    'Folder with voices for offline speech ([Voices of your own](live-voice.md#voices-of-your-own))',
  ),
  VOICE_UDP_PORTS: {
    type: 'string',
    schema: z.string().optional().transform(readPortRange),
    default: undefined,
    text: 'UDP ports for the audio of web calls, at least eleven, such as `40000-40029`; any free ports by default',
  } satisfies Setting,
  VOICE_PUBLIC_ADDRESS: {
    ...optional('IPv4 address at which browsers reach this machine, if it is behind NAT'),
    schema: z.ipv4('must be an IPv4 address such as 203.0.113.7').optional(),
  },
  VOICE_STUN_URL: pattern(
    new RegExp(`^stuns?:${hostAndPort}$`),
    'must be an address such as stun:stun.shop.example:3478',
    'STUN server for web calls, `stun:…`',
  ),
  VOICE_TURN_URL: pattern(
    new RegExp(`^turns?:${hostAndPort}(\\?transport=(udp|tcp))?$`),
    'must be an address such as turn:turn.assistants.example:3478',
    'TURN server for web calls, `turn:…`, for visitors whose network blocks UDP',
  ),
  VOICE_TURN_SECRET: optional(
    "Shared secret of the TURN server (coturn's `static-auth-secret`), for credentials that expire",
  ),
  VOICE_CALLS_PER_ASSISTANT: wholeNumber(
    0,
    100_000,
    10,
    'Maximum number of web calls of an assistant at once; 0 is no limit',
  ),
  VOICE_VISITOR_MINUTES_PER_DAY: wholeNumber(
    0,
    1_000_000,
    60,
    'Maximum number of started minutes per day (UTC) of web calls from an address (IPv6: /64; a /48 has four times as many) with the assistants of an account; 0 is no limit',
  ),
  VOICE_OWNER_MINUTES_PER_DAY: wholeNumber(
    0,
    10_000_000,
    1000,
    'Maximum number of started minutes per day (UTC) of all web calls of an account, except those of the next setting; 0 is no limit',
  ),
  VOICE_TEST_MINUTES_PER_DAY: wholeNumber(
    0,
    10_000_000,
    60,
    'Maximum number of started minutes per day (UTC) of free web calls of an account without a preview token; 0 is no limit',
  ),
  WEBHOOK_TIMEOUT_SECONDS: number(0.1, 60, 10, 'Longest time for one attempt to deliver a webhook'),
  WEBHOOK_RETRY_SECONDS: {
    type: 'list',
    schema: z.string().default(defaultRetries).transform(readSeconds),
    default: defaultRetries,
    text: 'Pauses before further attempts to deliver a webhook',
  } satisfies Setting,
  ALLOW_PRIVATE_ADDRESSES: {
    type: 'list',
    schema: z.string().optional().transform(readAllowed),
    default: undefined,
    text: 'Private addresses that webhooks, tools and documents may reach: `host:port`, addresses, ranges',
  } satisfies Setting,
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Least severe level that is logged; `npm start` uses `warn`',
  ),
};

/** The settings as lines for `--help`. */
export function settingsHelp(): string {
  return Object.entries(settings as Record<string, Setting>)
    .map(([name, { type, default: fallback, text, accepts }]) => {
      const defaultText = fallback === undefined ? 'no default' : `default ${fallback}`;
      const plainText = text
        .replace(/\(\[([^\]]+)\]\(([^)]+)\)\)/g, '($1, docs/$2)')
        .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)')
        .replaceAll('`', '');
      const facts = [type, accepts].filter((fact) => fact !== undefined).join(' ');
      return `  ${name}  ${facts}; ${defaultText}\n      ${plainText}.`;
    })
    .join('\n');
}

/** The settings as rows of a Markdown table, with links relative to `docs`. */
export function settingsRows(): string[] {
  return Object.entries(settings as Record<string, Setting>).map(
    ([name, { default: fallback, text, accepts }]) =>
      `| \`${name}\` | ${fallback === undefined ? 'none' : `\`${fallback}\``} | ${text}${accepts === undefined ? '' : ` (${accepts})`} |`,
  );
}

/** Addresses of the operator's own network that requests may go to, separated by commas or spaces. */
function readAllowed(text = '', context: z.RefinementCtx<string | undefined>): AllowedAddresses {
  try {
    return new AllowedAddresses(text.split(/[\s,]+/).filter((part) => part !== ''));
  } catch {
    context.addIssue('must be host:port pairs, addresses or ranges such as 10.0.0.0/8, separated by commas');
    return z.NEVER;
  }
}

/** Reads `DE,AT,CH` or `*`. */
function readCountries(
  list: string | undefined,
  context: z.RefinementCtx<string | undefined>,
): AllowedCountries | undefined {
  if (list === undefined) return undefined;
  if (list.trim() === '*') return 'all';
  const codes = list.split(/[\s,]+/).filter((code) => code !== '');
  const countries = codes.map((code) => code.toUpperCase());
  if (countries.length > 0 && countries.every((code) => isSupportedCountry(code))) return new Set(countries);
  context.addIssue('must be * or country codes of two letters such as DE,AT,CH');
  return z.NEVER;
}

function readKeys(list: string | undefined, context: z.RefinementCtx<string | undefined>): SecretKey[] {
  try {
    return list === undefined ? [] : readSecretKeys(list);
  } catch (error) {
    context.addIssue((error as Error).message);
    return z.NEVER;
  }
}

/** Reads `40000-40029`. */
function readPortRange(
  range: string | undefined,
  context: z.RefinementCtx<string | undefined>,
): readonly [first: number, last: number] | undefined {
  if (range === undefined) return undefined;
  const [first = NaN, last = NaN] = (/^(\d+)-(\d+)$/.exec(range) ?? []).slice(1).map(Number);
  if (first > 0 && last <= 65_535 && last - first >= 10) return [first, last];
  context.addIssue('must be a range of at least eleven ports from 1 to 65535, such as 40000-40029');
  return z.NEVER;
}

/** Reads `30,60,120` as milliseconds. */
function readSeconds(list: string, context: z.RefinementCtx<string>): number[] {
  const seconds = list.split(',').map((item) => Number(item.trim() === '' ? NaN : item));
  if (seconds.length <= 10 && seconds.every((value) => value >= 0 && value <= 86_400)) {
    return seconds.map((value) => value * 1000);
  }
  context.addIssue('must be up to 10 numbers from 0 to 86400, such as 30,60,120');
  return z.NEVER;
}

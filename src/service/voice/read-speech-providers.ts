import { z } from 'zod';
import { endpointFields, haveOwnCodes, readServer, voiceName } from '../engine/read-endpoint.ts';
import type { Server } from '../engine/read-endpoint.ts';
import { readJsonList } from '../lib/read-json-list.ts';
import type { AudioEndpoint } from './audio-endpoint.ts';
import type { SynthesizerConfig, TranscriberConfig } from './speech-config.ts';

const languages = z
  .array(z.string().regex(/^[a-z]{2}$/, 'must be a two-letter code'))
  .min(1)
  .max(100)
  .optional();

const text = z.string().min(1).max(100);

const Voice = z.strictObject({
  code: voiceName,
  name: text.optional(),
  languages,
  gender: text.default('unknown'),
  age: text.default('unknown'),
  accent: text.default('standard'),
});

const Transcriber = z.strictObject({ ...endpointFields, languages });
const Synthesizer = z.strictObject({
  ...endpointFields,
  languages,
  voices: z
    .array(z.union([voiceName.transform((code) => Voice.parse({ code })), Voice], 'must be a voice'))
    .min(1)
    .max(100)
    .refine(...haveOwnCodes)
    .optional(),
});

type Environment = Record<string, string | undefined>;

/** The server and model of entries that set none. */
interface Defaults {
  server: Server | undefined;
  model: string;
}

/**
 * Reads the speech providers that assistants can choose.
 *
 * @throws Error with a message that follows the setting's name.
 */
export function readSynthesizers(
  value: string,
  env: Environment,
  defaults: Defaults & { voice: string },
): SynthesizerConfig[] {
  const schema = z
    .array(Synthesizer)
    .max(100)
    .refine(...haveOwnCodes);
  return readJsonList(value, schema, 'providers').map(({ voices: given = [], ...entry }) => {
    const { endpoint, ...provider } = readProvider(entry, env, defaults);
    const voices = given.map((voice) => ({
      ...voice,
      name: voice.name ?? voice.code,
      languages: voice.languages,
    }));
    const voice = voices[0]?.code ?? defaults.voice;
    return { ...provider, endpoint: endpoint && { ...endpoint, voice }, voices };
  });
}

/** Like {@link readSynthesizers}, for transcription providers. */
export function readTranscribers(value: string, env: Environment, defaults: Defaults): TranscriberConfig[] {
  const schema = z
    .array(Transcriber)
    .max(100)
    .refine(...haveOwnCodes);
  return readJsonList(value, schema, 'providers').map((entry) => readProvider(entry, env, defaults));
}

function readProvider(entry: z.infer<typeof Transcriber>, env: Environment, defaults: Defaults) {
  const { code, name, languages: served, model } = entry;
  const server = readServer(entry, env, defaults.server);
  const endpoint: AudioEndpoint | undefined = server && { ...server, model: model ?? defaults.model };
  return { code, name: name ?? code, languages: served, endpoint };
}

import * as z from 'zod/mini';
import { CreateAssistantRequest } from './assistant.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { id, text } from './request-fields.ts';

/*
 * The catalog: languages, voices, models, providers and phone numbers to choose from for an assistant (interface:
 * "Assistants").
 */

const { name } = recordLimits;
const { mode, type } = CreateAssistantRequest.shape;

/** Response of `GET /user/assistants/languages`. */
export const Languages = z.array(
  z.looseObject({ id: z.int(), name: z.string(), iso_2: z.string().check(z.length(2)) }),
);

/** Response of `GET /user/assistants/voices`. */
export const Voices = z.array(
  z.looseObject({
    id: z.int(),
    name: z.string(),
    language_id: z.int(),
    gender: z.string(),
    /** Null if there is no preview. */
    preview_url: z.nullable(z.string()),
    accent: z.string(),
    age: z.string(),
    synthesizer_provider_id: z.int(),
  }),
);

/** Response of `GET /user/assistants/models`. */
export const Models = z.array(
  z.looseObject({
    id: z.int(),
    name: z.string(),
    /** Absent for models of the type `llm`. */
    code: z.optional(z.string()),
  }),
);

/** Response of the two lists of providers. */
export const Providers = z.array(z.looseObject({ id: z.int(), name: z.string(), code: z.string() }));

/** Response of `GET /user/assistants/phone-numbers`. */
export const AssignableNumbers = z.array(
  z.looseObject({
    id: z.int(),
    phone_number: z.string(),
    country_code: z.string(),
    type_label: z.string(),
    /** Whether it can be assigned to a new inbound assistant. */
    is_available: z.boolean(),
  }),
);

/** Query of `GET /user/assistants/voices`. */
export const VoicesQuery = z.object({
  mode: z.optional(mode),
  language_id: z.optional(id()),
  synthesizer_provider_id: z.optional(id()),
  gender: z.optional(text(name)),
  age: z.optional(text(name)),
  accent: z.optional(text(name)),
  search: z.optional(text(name)),
});

/** Query of `GET /user/assistants/models`. */
export const ModelsQuery = z.object({ type: z.optional(z.enum(['llm', 'multimodal', 'dualplex'])) });

/** Query of the two lists of providers. */
export const ProvidersQuery = z.object({ language_id: z.optional(id()) });

/** Query of `GET /user/assistants/phone-numbers`. */
export const AssignableNumbersQuery = z.object({ type: z.optional(type) });

export const listLanguages = ownerEndpoint({
  summary: 'Lists all languages.',
  method: 'GET',
  path: '/api/user/assistants/languages',
  scope: 'read',
  response: Languages,
});

export const listVoices = ownerEndpoint({
  summary: 'Lists the voices that match all given filters.',
  method: 'GET',
  path: '/api/user/assistants/voices',
  scope: 'read',
  query: VoicesQuery,
  response: Voices,
});

export const listModels = ownerEndpoint({
  summary: 'Lists the models of one type.',
  method: 'GET',
  path: '/api/user/assistants/models',
  scope: 'read',
  query: ModelsQuery,
  response: Models,
});

export const listSynthesizerProviders = ownerEndpoint({
  summary: 'Lists the text-to-speech providers, optionally for one language.',
  method: 'GET',
  path: '/api/user/assistants/synthesizer-providers',
  scope: 'read',
  query: ProvidersQuery,
  response: Providers,
});

export const listTranscriberProviders = ownerEndpoint({
  summary: 'Lists the speech-to-text providers, optionally for one language.',
  method: 'GET',
  path: '/api/user/assistants/transcriber-providers',
  scope: 'read',
  query: ProvidersQuery,
  response: Providers,
});

export const listAssignableNumbers = ownerEndpoint({
  summary: "Lists the account's phone numbers that can be assigned to an assistant.",
  method: 'GET',
  path: '/api/user/assistants/phone-numbers',
  scope: 'read',
  query: AssignableNumbersQuery,
  response: AssignableNumbers,
});

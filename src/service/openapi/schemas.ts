import * as z from 'zod/mini';
import * as answerFields from '../../contract/answer-fields.ts';
import * as assistant from '../../contract/assistant.ts';
import * as call from '../../contract/call.ts';
import * as campaign from '../../contract/campaign.ts';
import * as catalog from '../../contract/catalog.ts';
import * as conversation from '../../contract/conversation.ts';
import * as knowledgebase from '../../contract/knowledgebase.ts';
import * as lead from '../../contract/lead.ts';
import type { Operation } from '../../contract/operations.ts';
import * as phoneNumber from '../../contract/phone-number.ts';
import * as tool from '../../contract/tool.ts';
import * as user from '../../contract/user.ts';
import * as webhook from '../../contract/webhook.ts';

/** A JSON Schema (draft 2020-12), as in OpenAPI 3.1. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  [keyword: string]: unknown;
}

const named = Object.entries<unknown>({
  ...assistant,
  ...call,
  ...campaign,
  ...catalog,
  ...conversation,
  ...knowledgebase,
  ...lead,
  ...phoneNumber,
  ...answerFields,
  ...tool,
  ...user,
  ...webhook,
});

const isSchema = (value: unknown): value is z.ZodMiniType =>
  typeof value === 'object' && value !== null && '_zod' in value;

/** Bounds of safe integers are implied. */
function dropSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Capitalized schemas become components; queries become parameters. */
function kindOf(name: string): 'input' | 'output' | undefined {
  if (!/^[A-Z]/.test(name) || name.endsWith('Query')) return undefined;
  return name.endsWith('Request') ? 'input' : 'output';
}

const reference = (id: string) => `#/components/schemas/${id}`;
const titled = (name: string) => name.replace(/^./, (first) => first.toUpperCase());

/** The place of recursive schemas in zod's output. Any JSON value is the only one. */
const recursive = '__shared';
const json = { Json: { description: 'Any JSON value.' } };

/** Names the recursive schema, and removes keywords of standalone documents. */
function nameJson(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$schema' || key === '$id') return undefined;
    return key === '$ref' && String(value).includes(recursive) ? reference('Json') : value;
  }) as JsonSchema;
}

/** The components of a document, by name. Requests use zod's input types, responses its output types. */
class Components {
  readonly #registry = z.registry<{ id: string }>();
  readonly #io: 'input' | 'output';

  constructor(io: 'input' | 'output') {
    this.#io = io;
    for (const [name, schema] of named) {
      if (isSchema(schema) && kindOf(name) === io) this.add(name, schema);
    }
  }

  /** Names a schema unless it has a name; returns a reference to it. */
  add(name: string, schema: z.ZodMiniType): { $ref: string } {
    const { id } = this.#registry.get(schema) ?? {};
    if (id === undefined) this.#registry.add(schema, { id: name });
    return { $ref: reference(id ?? name) };
  }

  toJson(): Record<string, JsonSchema> {
    const { schemas } = z.toJSONSchema(this.#registry, {
      io: this.#io,
      uri: reference,
      unrepresentable: 'any',
      override: dropSafeBounds,
    });
    return Object.fromEntries(
      Object.entries(schemas)
        .filter(([name]) => name !== recursive)
        .map(([name, schema]) => [name, nameJson(schema as JsonSchema)]),
    );
  }
}

/** The schemas of a document, named on first use. */
export class DocumentSchemas {
  readonly #requests = new Components('input');
  readonly #answers = new Components('output');

  request(name: string, schema: z.ZodMiniType): { $ref: string } {
    return this.#requests.add(`${titled(name)}Request`, schema);
  }

  answer(name: string, schema: z.ZodMiniType): { $ref: string } {
    return this.#answers.add(`${titled(name)}Answer`, schema);
  }

  /** The parameters of a query, each with its schema. */
  query(schema: NonNullable<Operation['query']>): { name: string; required: boolean; schema: JsonSchema }[] {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: dropSafeBounds });
    const required = new Set(json.required);
    return Object.entries(json.properties ?? {}).map(([name, property]) => ({
      name,
      required: required.has(name),
      schema: property as JsonSchema,
    }));
  }

  toJson(): Record<string, JsonSchema> {
    const all = { ...json, ...this.#answers.toJson(), ...this.#requests.toJson() };
    return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

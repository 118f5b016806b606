import * as z from 'zod/mini';
import { clientToolLimits } from './client-tool-limits.ts';
import { countCharacters } from './limits.ts';
import { atMost, haveUniqueNames } from './request-fields.ts';

/*
 * Client tools: functions of the page that the assistant may call, our addition to
 * `POST /conversations/{uuid}/messages`. A message lists them, the answer contains the calls, and the page sends their
 * results with the next message.
 */

const { tools, toolName, toolDescription, toolResults } = clientToolLimits;

/** Accepts `null` as absent, since JSON clients often send it. */
const withFallback = <Value>(schema: z.ZodMiniType<Value>, fallback: Value) =>
  z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? fallback),
  );

const nameSchema = (subject: string, min: number) =>
  z
    .string(`${subject} must be a string`)
    .check(
      z.regex(
        new RegExp(`^[A-Za-z0-9_-]{${min},${toolName.max}}$`),
        `${subject} must be ${min} to ${toolName.max} letters, digits, _ or -`,
      ),
    );

const descriptionSchema = (subject: string) =>
  z
    .string(`${subject} must be a string`)
    .check(
      z.refine(
        (text) => countCharacters(text) <= toolDescription.max,
        `${subject} may have at most ${toolDescription.max} characters`,
      ),
    );

const ClientToolParameter = z.object(
  {
    name: nameSchema('client_tools: the name of a parameter', 1),
    type: z.enum(['string', 'number', 'bool'], {
      error: 'client_tools: the type of a parameter must be string, number or bool',
    }),
    description: withFallback(descriptionSchema('client_tools: the description of a parameter'), ''),
    required: withFallback(z.boolean('client_tools: required must be true or false'), false),
  },
  { error: 'client_tools: a parameter must be an object' },
);

const ToolSchema = z.object(
  {
    name: nameSchema('client_tools: a name', toolName.min),
    description: descriptionSchema('client_tools: a description'),
    parameters: withFallback(
      atMost(
        tools.parameters,
        `client_tools: at most ${tools.parameters} parameters are allowed`,
        z
          .array(ClientToolParameter, 'client_tools: parameters must be a list')
          .check(z.maxLength(tools.parameters))
          .check(z.refine(haveUniqueNames, 'client_tools: two parameters of a tool have the same name')),
      ),
      [],
    ),
  },
  { error: 'client_tools: a tool must be an object' },
);

/** The client tools of a message. Names must be unique. */
export const ClientTools = atMost(
  tools.count,
  `client_tools: at most ${tools.count} are allowed`,
  z
    .array(ToolSchema, 'client_tools must be a list')
    .check(z.maxLength(tools.count))
    .check(z.refine(haveUniqueNames, 'client_tools: two have the same name')),
);
export type ClientTools = z.infer<typeof ClientTools>;

const ResultSchema = z
  .object(
    {
      name: nameSchema('tool_results: a name', toolName.min),
      arguments: z.record(z.string(), z.unknown(), 'tool_results: arguments must be an object'),
      result: z.optional(z.unknown()),
    },
    { error: 'tool_results: a result must be an object' },
  )
  .check(
    z.refine(
      (result) => countCharacters(JSON.stringify(result)) <= toolResults.characters,
      `tool_results: one may have at most ${toolResults.characters} characters as JSON`,
    ),
  );

/** The tool results of a message. */
export const ToolResults = atMost(
  toolResults.count,
  `tool_results: at most ${toolResults.count} are allowed`,
  z.array(ResultSchema, 'tool_results must be a list').check(z.maxLength(toolResults.count)),
);
export type ToolResults = z.infer<typeof ToolResults>;

/** A function of the page that the assistant may call. */
export interface ClientTool {
  readonly name: string;
  /** Describes when and how to call the function, for the assistant. */
  readonly description: string;
  readonly parameters?:
    | readonly {
        readonly name: string;
        readonly type: 'string' | 'number' | 'bool';
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
}

/** The result of a client tool, with the arguments of the call. */
export interface ToolResult {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Any JSON value. */
  readonly result?: unknown;
}

import * as z from 'zod/mini';
import { countCharacters, toolLimits } from './limits.ts';
import { atMost } from './request-fields.ts';

/*
 * Tools that the page offers with a message, and what they returned (our addition to `POST /conversations/{uuid}/messages`).
 * The page runs them, not the service: a call reaches the page with the answer, and its result the service with the
 * next message.
 */

const { tools, toolName, toolDescription, toolResults } = toolLimits;

/** `null` stands for an absent optional field, as JSON clients often send it. */
const orElse = <Value>(schema: z.ZodMiniType<Value>, fallback: Value) =>
  z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? fallback),
  );

const nameOf = (what: string, min: number) =>
  z
    .string(`${what} must be a string`)
    .check(
      z.regex(
        new RegExp(`^[A-Za-z0-9_-]{${min},${toolName.max}}$`),
        `${what} must be ${min} to ${toolName.max} letters, digits, _ or -`,
      ),
    );

const descriptionOf = (what: string) =>
  z
    .string(`${what} must be a string`)
    .check(
      z.refine(
        (text) => countCharacters(text) <= toolDescription.max,
        `${what} may have at most ${toolDescription.max} characters`,
      ),
    );

const ClientToolParameter = z.object(
  {
    name: nameOf('client_tools: the name of a parameter', 1),
    type: z.enum(['string', 'number', 'bool'], {
      error: 'client_tools: the type of a parameter must be string, number or bool',
    }),
    description: orElse(descriptionOf('client_tools: the description of a parameter'), ''),
    required: orElse(z.boolean('client_tools: required must be true or false'), false),
  },
  { error: 'client_tools: a parameter must be an object' },
);

const CheckedTool = z.object(
  {
    name: nameOf('client_tools: a name', toolName.min),
    description: descriptionOf('client_tools: a description'),
    parameters: orElse(
      atMost(
        tools.parameters,
        `client_tools: at most ${tools.parameters} parameters are allowed`,
        z
          .array(ClientToolParameter, 'client_tools: parameters must be a list')
          .check(z.maxLength(tools.parameters)),
      ),
      [],
    ),
  },
  { error: 'client_tools: a tool must be an object' },
);

/** The tools of one message, each name once. */
export const ClientTools = atMost(
  tools.count,
  `client_tools: at most ${tools.count} are allowed`,
  z
    .array(CheckedTool, 'client_tools must be a list')
    .check(z.maxLength(tools.count))
    .check(
      z.refine(
        (all) => new Set(all.map(({ name }) => name)).size === all.length,
        'client_tools: two have the same name',
      ),
    ),
);
export type ClientTools = z.infer<typeof ClientTools>;

const CheckedResult = z
  .object(
    {
      name: nameOf('tool_results: a name', toolName.min),
      arguments: z.record(z.string(), z.unknown(), 'tool_results: arguments must be an object'),
      result: z.optional(z.unknown()),
    },
    { error: 'tool_results: a result must be an object' },
  )
  .check(
    z.refine(
      (made) => countCharacters(JSON.stringify(made)) <= toolResults.characters,
      `tool_results: one may have at most ${toolResults.characters} characters as JSON`,
    ),
  );

/** The results that go with one message. */
export const ToolResults = atMost(
  toolResults.count,
  `tool_results: at most ${toolResults.count} are allowed`,
  z.array(CheckedResult, 'tool_results must be a list').check(z.maxLength(toolResults.count)),
);
export type ToolResults = z.infer<typeof ToolResults>;

/** A function of the page that the assistant may ask for by name, as a client writes it. */
export interface ClientTool {
  readonly name: string;
  /** When and how the assistant should use it. */
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly type: 'string' | 'number' | 'bool';
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/** What a tool of the page returned, with the arguments that it was called with. */
export interface ToolResult {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Any JSON. */
  readonly result?: unknown;
}

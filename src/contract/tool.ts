import * as z from 'zod/mini';
import {
  boundedText,
  flag,
  haveUniqueNames,
  nonBlankText,
  integer,
  list,
  nullish,
  patternText,
  text,
  httpUrl,
} from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, timestamp } from './answer-fields.ts';

/* Mid-call tools: HTTP endpoints that an assistant can call during a conversation (interface: "Mid-call tools"). */

const { tool: limit } = recordLimits;

const requiredFields = {
  name: patternText(
    new RegExp(`^[a-z][a-z_]{${limit.name.min - 1},${limit.name.max - 1}}$`),
    `must begin with a lowercase letter and have at most ${limit.name.max} lowercase letters and underscores.`,
  ),
  description: nonBlankText(limit.description),
  endpoint: httpUrl(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
};

const optionalFields = {
  timeout: integer(limit.timeout),
  // Ours. Visitors then get the tool's name alone, without arguments and result.
  is_private: flag(),
  headers: list(
    z.object({
      // RFC 9110: other characters cannot be sent or would inject a header.
      name: patternText(/^[\w!#$%&'*+.^`|~-]{1,255}$/, 'must be the name of an HTTP header.'),
      value: text(limit.headerValue).check(
        z.refine((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value), 'must be the value of an HTTP header.'),
      ),
    }),
  ),
  schema: list(
    z.object({
      name: patternText(
        new RegExp(`^[A-Za-z][A-Za-z_]{${limit.schemaName.min - 1},${limit.schemaName.max - 1}}$`),
        `must be ${limit.schemaName.min} to ${limit.schemaName.max} letters and underscores that begin with a letter.`,
      ),
      type: z.enum(['string', 'number', 'boolean']),
      description: boundedText(limit.schemaDescription),
    }),
  ).check(z.refine(haveUniqueNames, 'must not have two parameters with the same name.')),
};

/** A mid-call tool. */
export const Tool = z.looseObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  endpoint: z.string(),
  method: z.string(),
  timeout: z.int(),
  is_private: z.boolean(),
  headers: z.array(z.looseObject({ name: z.string(), value: z.string() })),
  schema: z.array(z.looseObject({ name: z.string(), type: z.string(), description: z.string() })),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Tool = z.infer<typeof Tool>;

/** Body of `POST /user/tools`. */
export const CreateToolRequest = z.object({ ...requiredFields, ...nullish(optionalFields) });

/** Body of `PUT /user/tools/{id}`: only the given fields change; lists are replaced; `null` resets to the default. */
export const UpdateToolRequest = z.object({
  ...z.partial(z.object(requiredFields)).shape,
  ...nullish(optionalFields),
});

export const listTools = ownerEndpoint({
  summary: 'Lists the tools, oldest first.',
  method: 'GET',
  path: '/api/user/tools',
  scope: 'read',
  response: z.array(Tool),
});

export const readTool = ownerEndpoint({
  summary: 'Returns a tool.',
  method: 'GET',
  path: '/api/user/tools/:id',
  scope: 'read',
  response: Tool,
});

export const createTool = ownerEndpoint({
  summary: 'Creates a tool.',
  method: 'POST',
  path: '/api/user/tools',
  scope: 'write',
  changes: 'tool',
  request: CreateToolRequest,
  response: messageWith(Tool),
  success: 201,
});

export const updateTool = ownerEndpoint({
  summary: 'Changes the given fields of a tool.',
  method: 'PUT',
  path: '/api/user/tools/:id',
  scope: 'write',
  changes: 'tool',
  request: UpdateToolRequest,
  response: messageWith(Tool),
});

export const deleteTool = ownerEndpoint({
  summary: 'Deletes a tool and removes it from assistants.',
  method: 'DELETE',
  path: '/api/user/tools/:id',
  scope: 'write',
  changes: 'tool',
  response: Message,
});

import * as z from 'zod/mini';
import { nonBlankText, integer, list, nullish, text, httpUrl } from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, timestamp } from './answer-fields.ts';

/* Knowledge bases and their documents (interface: "Knowledge bases"). */

const { name, knowledgebase: limit } = recordLimits;

/** A knowledge base. */
export const Knowledgebase = z.looseObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** `empty`, `processing` or `active`. */
  status: z.string(),
  status_label: z.string(),
  documents_count: z.int(),
  assistants_count: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Knowledgebase = z.infer<typeof Knowledgebase>;

const changedDocumentFields = {
  id: z.int(),
  name: z.string(),
  description: z.string(),
  type: z.string(),
  type_label: z.string(),
  /** `processing`, `active` or `failed`. */
  status: z.string(),
  status_label: z.string(),
  /** Our addition: why the document is `failed`; absent otherwise. */
  failure: z.nullish(z.string()),
  updated_at: timestamp,
};

/** A document of a knowledge base. */
export const KnowledgeDocument = z.looseObject({ ...changedDocumentFields, created_at: timestamp });
export type KnowledgeDocument = z.infer<typeof KnowledgeDocument>;

const base = '/api/user/knowledgebases';
const documentsPath = `${base}/:knowledgebaseId/documents` as const;
const documentPath = `${documentsPath}/:documentId` as const;

export const listKnowledgebases = ownerEndpoint({
  summary: 'Lists the knowledge bases, oldest first.',
  method: 'GET',
  path: base,
  scope: 'read',
  response: z.looseObject({ data: z.array(Knowledgebase) }),
});

export const readKnowledgebase = ownerEndpoint({
  summary: 'Returns a knowledge base.',
  method: 'GET',
  path: `${base}/:id`,
  scope: 'read',
  response: z.looseObject({ data: Knowledgebase }),
});

export const createKnowledgebase = ownerEndpoint({
  summary: 'Creates an empty knowledge base.',
  method: 'POST',
  path: base,
  scope: 'write',
  changes: 'knowledgebase',
  request: z.object({ name: nonBlankText(name), description: z.nullish(text(name)) }),
  response: messageWith(Knowledgebase),
  success: 201,
});

export const updateKnowledgebase = ownerEndpoint({
  summary: 'Changes the name and description of a knowledge base.',
  method: 'PUT',
  path: `${base}/:id`,
  scope: 'write',
  changes: 'knowledgebase',
  request: z.object({ name: z.optional(nonBlankText(name)), description: z.nullish(text(name)) }),
  response: messageWith(Knowledgebase),
});

export const deleteKnowledgebase = ownerEndpoint({
  summary: 'Deletes a knowledge base with its documents and removes it from assistants.',
  method: 'DELETE',
  path: `${base}/:id`,
  scope: 'write',
  changes: 'knowledgebase',
  response: Message,
});

export const listDocuments = ownerEndpoint({
  summary: 'Lists the documents of a knowledge base, oldest first.',
  method: 'GET',
  path: documentsPath,
  scope: 'read',
  response: z.looseObject({ data: z.array(KnowledgeDocument) }),
});

export const readDocument = ownerEndpoint({
  summary: 'Returns a document.',
  method: 'GET',
  path: documentPath,
  scope: 'read',
  response: z.looseObject({ data: KnowledgeDocument }),
});

export const createDocument = ownerEndpoint({
  summary: 'Adds a document: a multipart form with `file`, or JSON for a website.',
  method: 'POST',
  path: documentsPath,
  scope: 'write',
  changes: 'document',
  request: z.object({
    name: nonBlankText(name),
    type: z.enum(['website', 'pdf', 'txt', 'docx']),
    ...nullish({
      description: text(name),
      url: httpUrl(),
      links: list(z.object({ link: httpUrl() })),
      relative_links_limit: integer(limit.relativeLinks),
    }),
    /** The uploaded file. Its class depends on the runtime, so the service checks it. */
    file: z.optional(z.unknown().register(z.globalRegistry, { type: 'string', format: 'binary' })),
  }),
  response: messageWith(KnowledgeDocument),
  success: 201,
});

export const updateDocument = ownerEndpoint({
  summary: 'Changes the name and description of a document. Its type and content cannot change.',
  method: 'PUT',
  path: documentPath,
  scope: 'write',
  changes: 'document',
  request: z.object({ name: z.optional(nonBlankText(name)), description: z.nullish(text(name)) }),
  response: messageWith(z.looseObject(changedDocumentFields)),
});

export const deleteDocument = ownerEndpoint({
  summary: 'Deletes a document with its content and embeddings.',
  method: 'DELETE',
  path: documentPath,
  scope: 'write',
  changes: 'document',
  response: Message,
});

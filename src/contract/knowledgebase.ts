import * as z from 'zod/mini';
import { filledText, integer, nullish, text, webAddress } from './fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, timestamp } from './record-answers.ts';

/* Knowledge bases and their documents (interface: "Knowledge bases"). */

const { listed, name, knowledgebase: limit } = recordLimits;

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
  updated_at: timestamp,
};

/** A document of a knowledge base. */
export const KnowledgeDocument = z.looseObject({ ...changedDocumentFields, created_at: timestamp });
export type KnowledgeDocument = z.infer<typeof KnowledgeDocument>;

const base = '/api/user/knowledgebases';
const documentsPath = `${base}/:knowledgebaseId/documents` as const;
const documentPath = `${documentsPath}/:documentId` as const;

/** The knowledge bases, oldest first. */
export const listKnowledgebases = ownerEndpoint({
  method: 'GET',
  path: base,
  response: z.looseObject({ data: z.array(Knowledgebase) }),
});

/** One knowledge base. */
export const readKnowledgebase = ownerEndpoint({
  method: 'GET',
  path: `${base}/:id`,
  response: z.looseObject({ data: Knowledgebase }),
});

/** Creates a knowledge base, empty. */
export const createKnowledgebase = ownerEndpoint({
  method: 'POST',
  path: base,
  request: z.object({ name: filledText(name), description: z.nullish(text(name)) }),
  response: messageWith(Knowledgebase),
  success: 201,
});

/** Changes name and description. */
export const updateKnowledgebase = ownerEndpoint({
  method: 'PUT',
  path: `${base}/:id`,
  request: z.object({ name: z.optional(filledText(name)), description: z.nullish(text(name)) }),
  response: messageWith(Knowledgebase),
});

/** Deletes a knowledge base with its documents; assistants go on without it. */
export const deleteKnowledgebase = ownerEndpoint({
  method: 'DELETE',
  path: `${base}/:id`,
  response: Message,
});

/** The documents of a knowledge base, oldest first. */
export const listDocuments = ownerEndpoint({
  method: 'GET',
  path: documentsPath,
  response: z.looseObject({ data: z.array(KnowledgeDocument) }),
});

/** One document. */
export const readDocument = ownerEndpoint({
  method: 'GET',
  path: documentPath,
  response: z.looseObject({ data: KnowledgeDocument }),
});

/** Adds a document; a multipart form with `file`, or JSON for a website. */
export const createDocument = ownerEndpoint({
  method: 'POST',
  path: documentsPath,
  request: z.object({
    name: filledText(name),
    type: z.enum(['website', 'pdf', 'txt', 'docx']),
    ...nullish({
      description: text(name),
      url: webAddress(),
      links: z.array(z.object({ link: webAddress() })).check(z.maxLength(listed)),
      relative_links_limit: integer(limit.relativeLinks),
    }),
    /** A file of a form. What runs this has its own class for one. */
    file: z.optional(z.unknown().register(z.globalRegistry, { type: 'string', format: 'binary' })),
  }),
  response: messageWith(KnowledgeDocument),
  success: 201,
});

/** Changes name and description; type and content stay as they are. */
export const updateDocument = ownerEndpoint({
  method: 'PUT',
  path: documentPath,
  request: z.object({ name: z.optional(filledText(name)), description: z.nullish(text(name)) }),
  response: messageWith(z.looseObject(changedDocumentFields)),
});

/** Deletes a document and everything that was made of it. */
export const deleteDocument = ownerEndpoint({ method: 'DELETE', path: documentPath, response: Message });

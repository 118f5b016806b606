import type { Hono } from 'hono';
import type * as z from 'zod/mini';
import * as endpoints from '../../contract/knowledgebase.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { createDocument } from '../knowledge/create-document.ts';
import type { NewDocument } from '../knowledge/create-document.ts';
import { deleteDocument, listDocuments, readDocument, updateDocument } from '../knowledge/document.ts';
import type { Jobs } from '../jobs/jobs.ts';
import {
  createKnowledgebase,
  deleteKnowledgebase,
  listKnowledgebases,
  readKnowledgebase,
  updateKnowledgebase,
} from '../knowledge/knowledgebase.ts';
import { checkSource, readFile, readUpload } from '../knowledge/read-upload.ts';

/** Knowledge bases (interface: "Knowledge bases"). */
export function knowledgebaseRoutes(routes: Hono<Authenticated>, database: Database, jobs: Jobs): void {
  mountOperation(routes, endpoints.listKnowledgebases, async ({ userId }) => ({
    data: await listKnowledgebases(database, userId),
  }));
  mountOperation(routes, endpoints.readKnowledgebase, async ({ userId, id }) => ({
    data: await readKnowledgebase(database, { id: id(), userId }),
  }));
  mountOperation(routes, endpoints.createKnowledgebase, async ({ database, userId, body }) => ({
    message: 'Knowledge base created successfully.',
    data: await createKnowledgebase(database, userId, body),
  }));
  mountOperation(
    routes,
    endpoints.updateKnowledgebase,
    async ({ database, userId, id, body }) => ({
      message: 'Knowledge base updated successfully.',
      data: await updateKnowledgebase(database, { id: id(), userId }, body),
    }),
    async (_, { userId, id }) => {
      await readKnowledgebase(database, { id: id(), userId });
      return {};
    },
  );
  mountOperation(routes, endpoints.deleteKnowledgebase, async ({ database, userId, id }) => {
    await deleteKnowledgebase(database, { id: id(), userId });
    return { message: 'Knowledge base deleted successfully.' };
  });
  documentRoutes(routes, database, jobs);
}

/** Default of `relative_links_limit`. */
const defaultRelativeLinks = 10;

interface Path {
  userId: number;
  id: (name?: string) => number;
}

const baseOf = ({ userId, id }: Path) => ({ id: id('knowledgebaseId'), userId });
const documentOf = (path: Path) => ({ documentId: path.id('documentId'), base: baseOf(path) });

function documentRoutes(routes: Hono<Authenticated>, database: Database, jobs: Jobs): void {
  mountOperation(routes, endpoints.listDocuments, async (operation) => ({
    data: await listDocuments(database, baseOf(operation)),
  }));
  mountOperation(routes, endpoints.readDocument, async (operation) => ({
    data: await readDocument(database, documentOf(operation)),
  }));
  mountOperation(
    routes,
    endpoints.createDocument,
    async (operation) => ({
      message: 'Document created successfully.',
      data: await createDocument(
        operation.database,
        jobs,
        baseOf(operation),
        await readSource(operation.body),
      ),
    }),
    async (fields, path) => {
      await readKnowledgebase(database, baseOf(path));
      return checkSource(fields, path.errors);
    },
    readUpload,
  );
  mountOperation(
    routes,
    endpoints.updateDocument,
    async (operation) => ({
      message: 'Document updated successfully.',
      data: await updateDocument(operation.database, jobs, documentOf(operation), operation.body),
    }),
    async (_, path) => {
      await readDocument(database, documentOf(path));
      return {};
    },
  );
  mountOperation(routes, endpoints.deleteDocument, async (operation) => {
    await deleteDocument(operation.database, documentOf(operation));
    return { message: 'Document deleted successfully.' };
  });
}

/** Reads the file or the links of a new document. */
async function readSource(fields: z.infer<typeof endpoints.createDocument.request>): Promise<NewDocument> {
  const { name, description, type } = fields;
  if (type !== 'website') return { name, description, type, file: await readFile(type, fields.file as File) };
  const links = [
    ...(fields.url == null ? [] : [fields.url]),
    ...(fields.links ?? []).map(({ link }) => link),
  ];
  return {
    name,
    description,
    type,
    links,
    relativeLinksLimit: fields.relative_links_limit ?? defaultRelativeLinks,
  };
}

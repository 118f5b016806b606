import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { and, eq, isNull } from 'drizzle-orm';
import { countCharacters, recordLimits } from '../../contract/limits.ts';
import { assistants } from '../db/schema.ts';
import type { Database } from '../db/database.ts';
import { StoredJobs } from '../jobs/jobs.ts';
import { createDocument, findSameDocuments } from '../knowledge/create-document.ts';
import type { NewDocument } from '../knowledge/create-document.ts';
import { deleteDocument, listDocuments } from '../knowledge/document.ts';
import { createKnowledgebase } from '../knowledge/knowledgebase.ts';
import { readFile as readUploadedFile } from '../knowledge/read-upload.ts';
import { isUuid } from '../lib/uuid.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandValues } from './command.ts';
import { table } from './table.ts';

const types: Record<string, 'txt' | 'pdf' | 'docx'> = {
  '.txt': 'txt',
  '.md': 'txt',
  '.pdf': 'pdf',
  '.docx': 'docx',
};

const assistantOption = {
  value: 'uuid',
  description: 'the assistant, from "assistants list"',
  required: true,
} as const;

const { file: maximumBytes } = recordLimits.knowledgebase;

export const addDocumentCommand: Command = {
  name: 'documents add',
  summary: "Adds a document to an assistant's knowledge base, which is created if there is none.",
  options: {
    assistant: assistantOption,
    file: { value: 'path', description: `a file: ${Object.keys(types).join(', ')}` },
    url: { value: 'address', description: 'a page of a website, instead of a file' },
    name: { value: 'name', description: "the document's name; that of the file or the address by default" },
    replace: { description: 'replaces documents of the same name and type, once the new one is active' },
  },
  async prepare(values) {
    const { file, url } = values;
    if ((file === undefined) === (url === undefined)) {
      throw new UsageError('documents add: either --file or --url is required.');
    }
    if (file === undefined) return { values };
    const bytes = await readFile(file).catch((cause: unknown) => {
      throw new CommandError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, { cause });
    });
    if (bytes.length > maximumBytes) {
      throw new CommandError(`${file} is larger than ${maximumBytes / 1024 / 1024} megabytes.`);
    }
    return { values: { ...values, content: bytes.toString('base64') } };
  },
  async change({ database }, values) {
    const assistant = await findAssistant(database, values['assistant'] ?? '');
    const { userId } = assistant;
    const source = await readSource(values);
    if (countCharacters(source.name ?? '') > recordLimits.name) {
      throw new CommandError(
        `The name of a document must not be greater than ${recordLimits.name} characters. Set it with --name.`,
      );
    }
    const base = assistant.knowledgebaseId ?? (await addKnowledgebase(database, assistant));
    const owned = { id: base, userId };
    const same = await findSameDocuments(database.db, owned, source);
    const replaces = [...same.active, ...same.inactive];
    if (replaces.length > 0 && values['replace'] === undefined) {
      throw new CommandError(
        `The knowledge base already has a document "${source.name}" of the type ${source.type} (id ${replaces.join(', ')}). Replace it with --replace, or set another name with --name.`,
      );
    }
    const { id, name } = await createDocument(database, new StoredJobs(database), owned, source, same);
    const listOf = (ids: number[]) => `(id ${ids.join(', ')})`;
    return {
      lines: [
        `Added "${name}". The service makes it searchable within seconds, or at its next start.`,
        ...(same.active.length > 0
          ? [`Until it is active, the service answers from the previous document ${listOf(same.active)}.`]
          : []),
        ...(same.inactive.length > 0
          ? [`Deleted the previous document, which was not active ${listOf(same.inactive)}.`]
          : []),
        `"documents list --assistant ${assistant.uuid}" shows when it is active, or why it failed.`,
      ],
      data: { id, name, knowledgebase_id: base, replaces },
      changed: [id, ...replaces].map((objectId) => ({ userId, object: 'document', objectId })),
    };
  },
};

export const removeDocumentCommand: Command = {
  name: 'documents remove',
  summary: "Removes a document from an assistant's knowledge base.",
  options: {
    assistant: assistantOption,
    id: { value: 'id', description: 'id of the document, from "documents list"', required: true },
  },
  async change({ database }, values) {
    const { uuid, userId, knowledgebaseId } = await findAssistant(database, values['assistant'] ?? '');
    const base = knowledgebaseId === null ? undefined : { id: knowledgebaseId, userId };
    const found = base ? await listDocuments(database, base) : [];
    const document = found.find(({ id }) => String(id) === values['id']);
    if (!base || !document) {
      throw new CommandError(
        `The assistant has no document with the id "${values['id']}". "documents list --assistant ${uuid}" shows them.`,
      );
    }
    const { id, name } = document;
    await deleteDocument(database, { documentId: id, base });
    return {
      lines: [`Removed "${name}".`],
      data: { id, name },
      changed: [{ userId, object: 'document', objectId: id }],
    };
  },
};

export const listDocumentsCommand: Command = {
  name: 'documents list',
  summary: "Lists the documents of an assistant's knowledge base with their status, and why one failed.",
  options: { assistant: assistantOption },
  async run({ database }, values) {
    const { userId, knowledgebaseId } = await findAssistant(database, values['assistant'] ?? '');
    const found =
      knowledgebaseId === null ? [] : await listDocuments(database, { id: knowledgebaseId, userId });
    const listed = found.map((document) => ({
      id: document.id,
      name: document.name,
      type: document.type,
      status: document.status,
      ...('failure' in document && { failure: document.failure }),
    }));
    return {
      lines: table(
        ['id', 'name', 'type', 'status', ''],
        listed.map(({ id, name, type, status, failure }) => [id, name, type, status, failure ?? '']),
      ),
      data: listed,
    };
  },
};

/** @throws UsageError, Refusal */
async function readSource({ file, url, content, ...values }: CommandValues): Promise<NewDocument> {
  if (file === undefined) {
    const link = url ?? '';
    if (!URL.canParse(link) || !/^https?:/.test(link)) {
      throw new UsageError(`"${link}" is not an http or https address.`);
    }
    return { type: 'website', name: values['name'] ?? link, links: [link], relativeLinksLimit: 0 };
  }
  const type = types[extname(file).toLowerCase()];
  if (type === undefined) {
    throw new UsageError(`${file} is none of ${Object.keys(types).join(', ')}.`);
  }
  const bytes = Buffer.from(content ?? '', 'base64');
  if (bytes.length === 0) throw new CommandError(`${file} is empty.`);
  return {
    type,
    name: values['name'] ?? basename(file, extname(file)),
    file: await readUploadedFile(type, new File([bytes], basename(file))),
  };
}

interface FoundAssistant {
  id: number;
  uuid: string;
  userId: number;
  name: string;
  knowledgebaseId: number | null;
}

async function findAssistant({ db }: Database, uuid: string): Promise<FoundAssistant> {
  const [found] = isUuid(uuid)
    ? await db
        .select({
          id: assistants.id,
          uuid: assistants.uuid,
          userId: assistants.userId,
          name: assistants.name,
          knowledgebaseId: assistants.knowledgebaseId,
        })
        .from(assistants)
        .where(and(eq(assistants.uuid, uuid), isNull(assistants.deletedAt)))
    : [];
  if (!found) throw new CommandError(`There is no assistant "${uuid}". "assistants list" shows them.`);
  return found;
}

async function addKnowledgebase({ db }: Database, { id, userId, name }: FoundAssistant): Promise<number> {
  return db.transaction(async (tx) => {
    // Another command may have added one meanwhile.
    const [assistant] = await tx
      .select({ knowledgebaseId: assistants.knowledgebaseId })
      .from(assistants)
      .where(eq(assistants.id, id))
      .for('update');
    if (assistant?.knowledgebaseId) return assistant.knowledgebaseId;
    const { id: knowledgebaseId } = await createKnowledgebase({ db: tx }, userId, { name });
    await tx.update(assistants).set({ knowledgebaseId }).where(eq(assistants.id, id));
    return knowledgebaseId;
  });
}

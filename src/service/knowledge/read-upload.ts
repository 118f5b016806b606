import type { Context } from 'hono';
import { recordLimits } from '../../contract/limits.ts';
import { Refusal, sentence } from '../lib/refusal.ts';
import { readBody } from '../http/read-request.ts';
import type { FieldErrors } from '../lib/refusal.ts';

const { file: maximumBytes } = recordLimits.knowledgebase;

/** Reads the fields of a multipart form, or of JSON. @throws Refusal if it is neither. */
export async function readUpload(c: Context): Promise<Record<string, unknown>> {
  if (!/^multipart\/form-data\b/i.test(c.req.header('Content-Type') ?? '')) return readBody(c);
  try {
    return formFields(await c.req.formData());
  } catch (cause) {
    throw new Refusal(422, { message: 'The body must be a valid multipart form.', errors: {} }, { cause });
  }
}

/** Returns a form's fields. Lists of objects have names as in PHP: `links[0][link]`. */
function formFields(form: FormData): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const lists = new Map<string, Map<string, Record<string, unknown>>>();
  for (const [key, value] of form) {
    const [, name, index, property] = /^(\w+)\[(\d{1,9})\]\[(\w+)\]$/.exec(key) ?? [];
    if (name === undefined || index === undefined || property === undefined) {
      fields[key] = value;
      continue;
    }
    const list = lists.get(name) ?? new Map<string, Record<string, unknown>>();
    const entry = list.get(index) ?? {};
    entry[property] = value;
    lists.set(name, list.set(index, entry));
  }
  for (const [name, list] of lists) fields[name] = [...list.values()];
  return fields;
}

/** The fields of a new document that depend on its type. */
interface DocumentFields {
  type?: 'website' | 'pdf' | 'txt' | 'docx';
  file?: unknown;
  url?: string | null | undefined;
  links?: { link: string }[] | null | undefined;
}

/** Checks the fields that a document's type requires, in addition to the known errors. */
export function checkSource({ type, file, url, links }: DocumentFields, errors: FieldErrors): FieldErrors {
  if (type === undefined) return {};
  // Invalid links still count as links.
  if (type === 'website' && Object.keys(errors).some((field) => /^links\b/.test(field))) return {};
  const [field, problem] =
    type === 'website'
      ? [
          'url',
          url == null && !links?.length
            ? 'is required when type is website, unless there are links.'
            : undefined,
        ]
      : ['file', fileProblem(type, file)];
  return problem === undefined ? {} : { [field]: [sentence(field, problem)] };
}

function fileProblem(type: string, file: unknown): string | undefined {
  if (!(file instanceof File)) return `is required when type is ${type}, in a multipart form.`;
  if (file.size === 0) return 'must not be empty.';
  if (file.size > maximumBytes) return `must not be greater than ${maximumBytes / 1024 / 1024} megabytes.`;
  return undefined;
}

/**
 * Reads the bytes of a file.
 *
 * @throws Refusal if its type is `txt` and it is not a text.
 */
export async function readFile(type: string, file: File): Promise<Buffer> {
  const bytes = Buffer.from(await file.arrayBuffer());
  if (type === 'txt') checkText(bytes);
  return bytes;
}

function checkText(bytes: Buffer): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw Refusal.invalidField('file', sentence('file', 'must be a text in UTF-8.'), { cause });
  }
  if (text.includes('\0')) {
    throw Refusal.invalidField('file', sentence('file', 'must not contain null characters.'));
  }
  if (text.trim() === '') throw Refusal.invalidField('file', sentence('file', 'must not be empty.'));
}

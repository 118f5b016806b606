import type { Context } from 'hono';
import { recordLimits } from '../../contract/limits.ts';
import { sentence } from '../http/check-fields.ts';
import { readBody } from '../http/read-fields.ts';
import { Refusal } from '../http/refusal.ts';
import type { FieldErrors } from '../http/refusal.ts';

const { file: maximumBytes } = recordLimits.knowledgebase;

/** Reads the fields of a multipart form, or of JSON. @throws Refusal if it is neither. */
export async function readUpload(c: Context): Promise<Record<string, unknown>> {
  if (!/^multipart\/form-data\b/i.test(c.req.header('Content-Type') ?? '')) return readBody(c);
  try {
    return Object.fromEntries(await c.req.formData());
  } catch (cause) {
    throw new Refusal(422, { message: 'The body must be a valid multipart form.', errors: {} }, { cause });
  }
}

/** What a file must be for its type. Contents of other types than `txt` cannot be extracted yet, and that is said. */
export function checkUpload({ type, file }: { type?: string; file?: unknown }): Promise<FieldErrors> {
  if (type === undefined) return Promise.resolve({});
  const [field, problem] =
    type === 'txt'
      ? ['file', fileProblem(file)]
      : ['type', `can only be txt: this service does not read ${type} yet.`];
  return Promise.resolve(problem === undefined ? {} : { [field]: [sentence(field, problem)] });
}

function fileProblem(file: unknown): string | undefined {
  if (!(file instanceof File)) return 'is required when type is txt, in a multipart form.';
  if (file.size > maximumBytes) return `must not be greater than ${maximumBytes / 1024 / 1024} megabytes.`;
  return undefined;
}

/** The text of a file. @throws Refusal if it is none. */
export async function readText(file: File): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (cause) {
    throw Refusal.invalidField('file', sentence('file', 'must be a text in UTF-8.'), { cause });
  }
  if (text.includes('\0')) {
    throw Refusal.invalidField('file', sentence('file', 'must not contain null characters.'));
  }
  if (text.trim() === '') throw Refusal.invalidField('file', sentence('file', 'must not be empty.'));
  return text;
}

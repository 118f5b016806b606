import { describeRefusal, refusalWith } from './errors.ts';
import type { DocumentedOperation } from './openapi-document.ts';

const path = '/api/recordings/{token}';

const sound = (description: string) => ({
  description,
  content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } },
});

/** Describes the addresses of recordings. Apart from the operations, because no client of theirs reads sound. */
export const describeRecordings = (): Record<string, { get: DocumentedOperation }> => ({
  [path]: {
    get: {
      operationId: 'playRecording',
      tags: ['Calls'],
      summary: 'Plays the recording of a call, to whoever has its `recording_url`. Our addition.',
      security: [],
      parameters: [
        {
          name: 'token',
          in: 'path',
          required: true,
          description: 'Unguessable; the end of recording_url.',
          schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
        },
        {
          name: 'Range',
          in: 'header',
          required: false,
          description: 'Which bytes: one range, such as bytes=0-1023.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: sound('The whole recording.'),
        206: sound('The bytes that were asked for.'),
        404: refusalWith(['Refused'], 'There is no such recording, or its call was deleted.'),
        416: refusalWith(['Refused'], 'The recording ends before that range.'),
        429: describeRefusal({ path, auth: 'none' }, 429),
      },
    },
  },
});

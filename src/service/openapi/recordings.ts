import { describeRefusal, refusalWith } from './errors.ts';
import type { DocumentedOperation } from './openapi-document.ts';

const path = '/api/recordings/{token}';

const audio = (description: string) => ({
  description,
  content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } },
});

/** Describes the endpoint of recordings. Separate from the operations, because its response is audio. */
export const describeRecordings = (): Record<string, { get: DocumentedOperation }> => ({
  [path]: {
    get: {
      operationId: 'playRecording',
      tags: ['Calls'],
      summary: 'Plays the recording of a call; anyone who has its `recording_url` can. Our addition.',
      security: [],
      parameters: [
        {
          name: 'token',
          in: 'path',
          required: true,
          description: 'Unguessable; the last segment of recording_url.',
          schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
        },
        {
          name: 'Range',
          in: 'header',
          required: false,
          description: 'One range of bytes, such as bytes=0-1023.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: audio('The whole recording.'),
        206: audio('The requested bytes.'),
        404: refusalWith(['Refused'], 'There is no such recording, or its call was deleted.'),
        416: refusalWith(['Refused'], 'The range starts after the end of the recording.'),
        429: describeRefusal({ path, auth: 'none' }, 429),
        502: refusalWith(['Refused'], 'The carrier does not return the recording at the moment.'),
      },
    },
  },
});

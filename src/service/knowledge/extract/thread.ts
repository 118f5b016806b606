import { parentPort } from 'node:worker_threads';
import { extract } from './extract.ts';
import type { ExtractionTask } from './extract.ts';
import { ExtractionError } from './extraction-error.ts';

// What an ExtractionThread runs: one task after the other.
parentPort?.on('message', (task: ExtractionTask) => {
  extract(task).then(
    (extracted) => parentPort?.postMessage({ extracted }),
    (error: unknown) => {
      // Whatever else a library throws comes of the document as well.
      const reason = error instanceof ExtractionError ? error.message : 'The document cannot be read.';
      parentPort?.postMessage({ reason });
    },
  );
});

import type { Logger } from 'pino';
import { SpeechProcess } from './speech-process.ts';
import { readSuppliedRecognizers } from './supplied-recognizers.ts';
import type { SuppliedRecognizer } from './supplied-recognizers.ts';

/**
 * Reads the operator's transcription models and loads each one once, in a process that ends afterwards: sherpa-onnx
 * ends the process if a model has the wrong files.
 */
export async function findLoadableRecognizers(
  folder: string,
  log: Logger,
): Promise<{ recognizers: SuppliedRecognizer[]; problems: string[] }> {
  const { recognizers, problems } = await readSuppliedRecognizers(folder);
  for (const problem of problems) log.error(problem);
  const loaded: SuppliedRecognizer[] = [];
  for (const recognizer of recognizers) {
    const { name, kind, languages } = recognizer;
    const process = new SpeechProcess({ parallel: 1 });
    const start = performance.now();
    try {
      const task = { type: 'load', model: recognizer.configFor(languages[0]) } as const;
      await process.run(task, () => undefined, new AbortController().signal);
      loaded.push(recognizer);
      const milliseconds = Math.round(performance.now() - start);
      log.info({ kind, languages, milliseconds }, 'found a transcription model');
    } catch (error) {
      log.error({ err: error, folder: name, kind }, 'a transcription model cannot be loaded');
      problems.push(
        `TRANSCRIPTION_MODEL_DIR: the model in the folder ${name} cannot be loaded as ${kind}. Its files must be of one model, as published for sherpa-onnx.`,
      );
    } finally {
      process.close();
    }
  }
  return { recognizers: loaded, problems };
}

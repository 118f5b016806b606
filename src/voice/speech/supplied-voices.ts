import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A voice for sherpa-onnx that the operator supplies. */
export interface SuppliedVoice {
  folder: string;
  /** Settings of `OfflineTts`. */
  config: object;
}

/**
 * Reads the voices in a folder. It has one subfolder per language, named by its two-letter code, with the files of a
 * Piper (VITS), Kokoro or Kitten voice as published by sherpa-onnx.
 */
export async function readSuppliedVoices(
  folder: string,
): Promise<{ voices: Map<string, SuppliedVoice>; problems: string[] }> {
  const voices = new Map<string, SuppliedVoice>();
  const problems: string[] = [];
  let languages;
  try {
    languages = await readdir(folder, { withFileTypes: true });
  } catch {
    return { voices, problems: [`VOICE_MODEL_DIR: the folder ${folder} cannot be read.`] };
  }
  for (const { name } of languages.filter((entry) => !entry.isFile() && /^[a-z]{2}$/.test(entry.name))) {
    const config = readVoice(join(folder, name), await readdir(join(folder, name)).catch(() => []));
    if (config) voices.set(name, { folder: join(folder, name), config });
    else problems.push(`VOICE_MODEL_DIR: the folder ${name} needs a model (*.onnx) and its tokens.txt.`);
  }
  if (voices.size === 0 && problems.length === 0)
    problems.push(
      'VOICE_MODEL_DIR has no voices. Put each voice into a subfolder named by its language, such as en.',
    );
  return { voices, problems };
}

function readVoice(folder: string, files: readonly string[]): object | undefined {
  const model = files.find((file) => file.endsWith('.onnx'));
  if (model === undefined || !files.includes('tokens.txt')) return undefined;
  const has = (name: string) => (files.includes(name) ? join(folder, name) : '');
  const common = {
    model: join(folder, model),
    tokens: join(folder, 'tokens.txt'),
    dataDir: has('espeak-ng-data'),
  };
  const lexicon = files
    .filter((file) => /^lexicon.*\.txt$/.test(file))
    .sort()
    .map((file) => join(folder, file))
    .join(',');
  const voices = has('voices.bin');
  const isKitten =
    voices !== '' &&
    (model.includes('kitten') || (!files.includes('lexicon-us-en.txt') && model.startsWith('model.fp16')));
  return {
    model: {
      ...(voices === ''
        ? { vits: { ...common, lexicon } }
        : isKitten
          ? { kitten: { ...common, voices } }
          : { kokoro: { ...common, voices, lexicon } }),
      numThreads: 2,
      provider: 'cpu',
    },
    maxNumSentences: 1,
  };
}

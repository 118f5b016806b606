import type { Logger } from 'pino';
import type { WebCallConfig } from './web-call-config.ts';
import { voicePackage } from './voice-module.ts';
import type { CreateVoice, VoiceModule } from './voice-module.ts';

/** The result of loading the optional package. */
export interface LoadedVoice {
  /** Undefined if the package is not installed, is switched off, or could not be loaded. */
  module: VoiceModule | undefined;
  /** Problems that the operator must fix before calls are possible, one sentence each. */
  problems: readonly string[];
  /** The problem to report if an assistant has `web_calls`, since the package is not installed. */
  notInstalled?: string;
}

const notInstalled = `The package ${voicePackage} is not installed, so assistants with web_calls offer no calls. Install it next to the service, or set VOICE=off.`;

const broken: LoadedVoice = {
  module: undefined,
  problems: [
    `The package ${voicePackage} could not be loaded, so web calls and offline speech are unavailable. See the log.`,
  ],
};

/** Loads the optional package. Written conversations work without it. */
export async function loadVoice(config: WebCallConfig, log: Logger): Promise<LoadedVoice> {
  const none: LoadedVoice = { module: undefined, problems: [] };
  if (!config.isEnabled) return none;
  const { udpPorts, publicAddress, voicesFolder, transcriptionModelsFolder } = config;
  const settings = {
    media: { udpPorts, publicAddress },
    speech: { voicesFolder, transcriptionModelsFolder },
  };
  try {
    const { createVoice } = (await import(voicePackage)) as { createVoice: CreateVoice };
    const module = await createVoice(settings, log);
    return { module, problems: module.problems };
  } catch (error) {
    if (isNotInstalled(error)) return { ...none, notInstalled };
    log.error({ err: error }, `the package ${voicePackage} could not be loaded`);
    return broken;
  }
}

const isNotInstalled = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${voicePackage}'`);

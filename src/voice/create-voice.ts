import type { Logger } from 'pino';
import type { VoiceModule, VoiceModuleSettings } from '../service/voice/voice-module.ts';
import { WebRtcServer } from './media/web-rtc-server.ts';
import { createOfflineSpeech } from './speech/offline-speech.ts';

/** Starts the WebRTC server and offline speech for web calls. */
export async function createVoice(
  { media, speech: speechSettings = {} }: VoiceModuleSettings,
  log: Logger,
): Promise<VoiceModule> {
  const { close, ...offline } = await createOfflineSpeech(speechSettings, log);
  const server = new WebRtcServer(media, log);
  return {
    media: server,
    ...offline,
    close: async () => {
      close();
      await server.close();
    },
  };
}

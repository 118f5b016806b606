import type { OpenAiSpeechConfig } from '../../voice/openai-speech.ts';
import type { AsteriskConfig } from './asterisk-config.ts';

/** The settings of the carrier, as they were given. */
export interface AsteriskSettings {
  url: string | undefined;
  user: string;
  password: string | undefined;
  endpoint: string;
  application: string;
  phoneNumber: string | undefined;
  speech: { baseUrl: string | undefined; apiKey: string | undefined; model: string; voice: string };
  transcription: { baseUrl: string | undefined; apiKey: string | undefined; model: string };
}

/**
 * Checks the settings that only Asterisk needs. Transcriptions come from the server of the speech unless they have one
 * of their own.
 *
 * @throws Error with a message that begins with the name of the variable.
 */
export function readAsteriskConfig({
  url,
  password,
  speech,
  transcription,
  ...rest
}: AsteriskSettings): AsteriskConfig & { voice: OpenAiSpeechConfig } {
  if (url === undefined) {
    throw new Error(
      'ASTERISK_URL must be the address of the HTTP server of Asterisk for CARRIER=asterisk, such as http://127.0.0.1:8088.',
    );
  }
  if (password === undefined) {
    throw new Error('ASTERISK_PASSWORD must be set for CARRIER=asterisk: the password in its ari.conf.');
  }
  if (speech.baseUrl === undefined && speech.apiKey === undefined) {
    throw new Error(
      'SPEECH_BASE_URL or SPEECH_API_KEY must be set for CARRIER=asterisk: an OpenAI-compatible server speaks and listens.',
    );
  }
  const { model, ...own } = transcription;
  const server = own.baseUrl === undefined && own.apiKey === undefined ? speech : own;
  return {
    ...rest,
    url: url.replace(/\/+$/, ''),
    password,
    voice: { speech, transcription: { baseUrl: server.baseUrl, apiKey: server.apiKey, model } },
  };
}

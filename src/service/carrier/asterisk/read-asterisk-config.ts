import type { AsteriskConfig } from './asterisk-config.ts';

/** The raw settings of the carrier. */
export interface AsteriskSettings {
  url: string | undefined;
  user: string;
  password: string | undefined;
  endpoint: string;
  application: string;
  phoneNumber: string | undefined;
}

/**
 * Checks the settings that only Asterisk needs.
 *
 * @throws Error with a message that starts with the name of the variable.
 */
export function readAsteriskConfig({ url, password, ...rest }: AsteriskSettings): AsteriskConfig {
  if (url === undefined) {
    throw new Error(
      "ASTERISK_URL must be the URL of Asterisk's HTTP server for CARRIER=asterisk, such as http://127.0.0.1:8088.",
    );
  }
  const { username, password: secret } = new URL(url);
  if (username !== '' || secret !== '') {
    throw new Error(
      'ASTERISK_URL must not contain a user or a password: set ASTERISK_USER and ASTERISK_PASSWORD.',
    );
  }
  if (password === undefined) {
    throw new Error('ASTERISK_PASSWORD must be set for CARRIER=asterisk. It is the password in ari.conf.');
  }
  return {
    ...rest,
    url: url.replace(/\/+$/, ''),
    password,
  };
}

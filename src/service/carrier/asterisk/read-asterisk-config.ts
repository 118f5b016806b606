import type { AsteriskConfig } from './asterisk-config.ts';

/** The settings of the carrier, as they were given. */
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
 * @throws Error with a message that begins with the name of the variable.
 */
export function readAsteriskConfig({ url, password, ...rest }: AsteriskSettings): AsteriskConfig {
  if (url === undefined) {
    throw new Error(
      'ASTERISK_URL must be the address of the HTTP server of Asterisk for CARRIER=asterisk, such as http://127.0.0.1:8088.',
    );
  }
  if (password === undefined) {
    throw new Error('ASTERISK_PASSWORD must be set for CARRIER=asterisk: the password in its ari.conf.');
  }
  return {
    ...rest,
    url: url.replace(/\/+$/, ''),
    password,
  };
}

import { storeApiKey } from '../../../src/service/api-key/api-key.ts';

/** Creates a key; see {@link storeApiKey}. */
export const createApiKey = async (...args: Parameters<typeof storeApiKey>): Promise<string> =>
  (await storeApiKey(...args)).key;

import type { Hono } from 'hono';
import * as endpoints from '../../contract/phone-number.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { mountLongOperation, mountOperation } from '../http/mount-operation.ts';
import { Refusal } from '../lib/refusal.ts';
import { listPhoneNumbers, readPhoneNumber, renamePhoneNumber } from '../phone-number/phone-number.ts';
import { purchasePhoneNumber } from '../phone-number/purchase.ts';
import { releasePhoneNumber } from '../phone-number/release-number.ts';
import { searchPhoneNumbers } from '../phone-number/search-numbers.ts';
import type { AppContext } from './app-context.ts';

/** Default country of a search. */
const defaultCountry = 'DE';

/** Phone numbers (interface: "Phone numbers"). */
export function phoneNumberRoutes(
  routes: Hono<Authenticated>,
  context: Pick<AppContext, 'database' | 'jobs' | 'numbers' | 'log'>,
): void {
  const { database, jobs, numbers } = context;
  mountOperation(routes, endpoints.listPhoneNumbers, async ({ userId }) => ({
    data: await listPhoneNumbers(database, userId, 'all'),
  }));
  mountOperation(routes, endpoints.listSmsNumbers, async ({ userId }) => ({
    data: await listPhoneNumbers(database, userId, 'sms'),
  }));
  mountOperation(routes, endpoints.searchPhoneNumbers, async ({ query }) => ({
    data: await searchPhoneNumbers(
      numbers,
      (query.country_code ?? defaultCountry).toUpperCase(),
      query.contains ?? '',
    ),
  }));
  mountLongOperation(
    routes,
    endpoints.purchasePhoneNumber,
    async ({ userId, body, change }) => {
      const id = await purchasePhoneNumber(context, userId, body.phone_number, change);
      return {
        message: 'Phone number purchased successfully.',
        data: await readPhoneNumber(database.db, { id, userId }),
      };
    },
    (_, { errors }) => {
      const [message] = errors['phone_number'] ?? [];
      if (message !== undefined) throw new Refusal(422, { error: message, message, errors });
      return Promise.resolve({});
    },
  );
  mountOperation(
    routes,
    endpoints.updatePhoneNumber,
    async ({ database, userId, id, body }) => ({
      message: 'Phone number updated successfully.',
      data: await renamePhoneNumber(database, { id: id(), userId }, body.nickname),
    }),
    async (_, { userId, id }) => {
      await readPhoneNumber(database.db, { id: id(), userId });
      return {};
    },
  );
  mountOperation(routes, endpoints.releasePhoneNumber, async ({ database, userId, id }) => {
    const at = await releasePhoneNumber({ database, jobs }, { id: id(), userId });
    return {
      message:
        at === undefined
          ? 'Phone number released successfully.'
          : `The subscription was cancelled. The phone number stays active until ${at} and is released then.`,
    };
  });
}

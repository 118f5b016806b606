import { readConfig } from '../../../src/service/config.ts';
import { DatabaseNotOpenedError, DiskFullError } from '../../../src/service/db/embedded-postgres.ts';
import { DataFolderInUseError } from '../../../src/service/db/lock-folder.ts';
import { NewerDatabaseError, UnsupportedDatabaseError } from '../../../src/service/db/migrate.ts';
import {
  DatabaseLocaleError,
  DatabaseReadOnlyError,
  DatabaseUnreachableError,
} from '../../../src/service/db/open-postgres.ts';
import { MissingSecretKeyError } from '../../../src/service/db/secrets/check-secrets.ts';
import { CannotListenError, PortInUseError } from '../../../src/service/http/listen.ts';
import { withoutSpeech } from '../../../src/service/carrier/create-carrier.ts';
import { plain, table } from './table.ts';

/** The message of the error that these settings cause. */
function messageFor(settings: Record<string, string>): string {
  try {
    readConfig(settings);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('These settings are valid.');
}

/** An example of each error that keeps the service from starting; the messages are the service's own. */
export const startErrorsTable = () =>
  table(
    ['The service prints, for example', 'Cause'],
    [
      [messageFor({ PORT: 'eighty' }), 'A [setting](/settings) is invalid. The message names it.'],
      [
        new PortInUseError(3000, undefined).message,
        'Another program listens there, often the service itself.',
      ],
      [
        new CannotListenError('192.0.2.7', 3000, Object.assign(new Error(), { code: 'EADDRNOTAVAIL' }))
          .message,
        'The machine has no such address, or the user may not use the port.',
      ],
      [
        new DataFolderInUseError('data', undefined).message,
        'Two processes use the [embedded database](/self-hosting#database).',
      ],
      [
        new DatabaseNotOpenedError('data', new Error('EACCES')).message,
        'A [backup](/self-hosting#backups) was restored by another user, or not completely.',
      ],
      [new DiskFullError('data').message, 'The disk has less than 24 MB of free space.'],
      [
        new DatabaseUnreachableError(new Error('connect ECONNREFUSED 127.0.0.1:5432')).message,
        'PostgreSQL does not run, or the address, the password or the certificate is wrong.',
      ],
      [
        new DatabaseReadOnlyError().message,
        '`DATABASE_URL` leads to a [standby](/scaling#failover), or the database was set to be read-only.',
      ],
      [
        plain(new DatabaseLocaleError().message),
        'The [database](/self-hosting#database) was created with the defaults of a server without a locale.',
      ],
      [new UnsupportedDatabaseError().message, 'The database is older than the first release.'],
      [
        new NewerDatabaseError('0002-second.sql').message,
        'An [update](/self-hosting#updates) was undone. An earlier version cannot use a migrated database.',
      ],
      [
        new MissingSecretKeyError([{ name: 'tools.headers', keyId: '1a2b3c4d', count: 2 }]).message,
        'A key of [`SECRET_KEYS`](/self-hosting#encryption) was removed before `secrets rotate`.',
      ],
      [withoutSpeech([]), 'Calls with [Asterisk](/asterisk) need something that speaks and listens.'],
    ],
  );

import { recordChange } from '../audit/audit-log.ts';
import { boundTo } from '../db/transactions.ts';
import { Refusal } from '../lib/refusal.ts';
import { CommandError } from './command.ts';
import type { Command, CommandContext, CommandOutput, CommandValues } from './command.ts';

/**
 * Runs a command on an open database.
 *
 * @throws CommandError, UsageError
 */
export async function runCommand(
  command: Command,
  { config, database }: CommandContext,
  values: CommandValues,
): Promise<CommandOutput> {
  try {
    if ('run' in command) return await command.run({ config, database }, values);
    return await database.transaction(async (tx) => {
      const output = await command.change({ config, database: boundTo(database, tx) }, values);
      for (const record of output.changed) {
        await recordChange(tx, { ...record, actor: { type: 'command-line' }, operation: command.name });
      }
      return output;
    });
  } catch (error) {
    throw error instanceof Refusal ? new CommandError(error.message, { cause: error }) : error;
  }
}

import type { Command } from './command.ts';
import { checkCarrierCommand } from './carrier-commands.ts';
import { createAssistantCommand, listAssistantsCommand } from './assistant-commands.ts';
import { addDocumentCommand, listDocumentsCommand, removeDocumentCommand } from './document-commands.ts';
import { setupCommand } from './setup-command.ts';
import { migrateCommand, seedCommand } from './database-commands.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand, rotateKeyCommand } from './key-commands.ts';
import { connectModelCommand } from './model-commands.ts';
import { addNumberCommand, pointNumbersCommand } from './number-commands.ts';
import { ringNumberCommand } from './ring-number-command.ts';
import { deletePersonCommand, exportPersonCommand } from './person-commands.ts';
import { forgetSecretsCommand, rotateSecretsCommand } from './secret-commands.ts';
import { createUserCommand, listUsersCommand, topUpCommand } from './user-commands.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  setupCommand,
  connectModelCommand,
  migrateCommand,
  seedCommand,
  createUserCommand,
  listUsersCommand,
  topUpCommand,
  createKeyCommand,
  listKeysCommand,
  rotateKeyCommand,
  revokeKeyCommand,
  createAssistantCommand,
  listAssistantsCommand,
  addDocumentCommand,
  listDocumentsCommand,
  removeDocumentCommand,
  addNumberCommand,
  pointNumbersCommand,
  ringNumberCommand,
  checkCarrierCommand,
  exportPersonCommand,
  deletePersonCommand,
  rotateSecretsCommand,
  forgetSecretsCommand,
];

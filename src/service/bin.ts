#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';

/*
 * The program `voice-assistant-chat-service`. It loads the rest only on a supported Node, since older ones fail at the
 * first new API with a stack trace.
 */

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  name: string;
  engines: { node: string };
};
const needed = manifest.engines.node.replace('>=', '');
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  process.stderr.write(
    `${manifest.name} needs Node ${needed} or later; this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  await import('./cli.ts');
}

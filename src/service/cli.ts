import process from 'node:process';
import { terminal } from './cli/terminal.ts';
import { readEnvironment } from './read-environment.ts';
import './resolve-drizzle.ts';

/* The command line: `npx node src/service/cli.ts --help`. Reads the same environment variables as the service. */

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const [command, ...rest] = process.argv.slice(2);
if (command === 'start') {
  // Not before, since the other commands would wait a second for code of the service that they do not use.
  const { runService } = await import('./run-service.ts');
  await runService(rest, process.env);
} else {
  const streams = {
    out: (text: string) => process.stdout.write(`${text}\n`),
    err: (text: string) => process.stderr.write(`${text}\n`),
  };
  const env = readEnvironment(process.env);
  const input = terminal(process.env);
  const { runCli } = await import('./cli/run-cli.ts');
  process.exitCode = await runCli(process.argv.slice(2), env, streams, undefined, input);
}

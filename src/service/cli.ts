import process from 'node:process';
import { runCli } from './cli/run-cli.ts';
import { runService } from './run-service.ts';

/* The command line: `npx node src/service/cli.ts --help`. Reads the same environment variables as the service. */
const [command, ...rest] = process.argv.slice(2);
if (command === 'start') {
  await runService(rest, process.env);
} else {
  process.exitCode = await runCli(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
  });
}

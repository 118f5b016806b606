import process from 'node:process';
import { runService } from './run-service.ts';

/* Runs the service: `npx node src/service/main.ts --help`. */
await runService(process.argv.slice(2), process.env);

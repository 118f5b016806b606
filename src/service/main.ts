import process from 'node:process';
import './resolve-drizzle.ts';

/* Runs the service: `npx node src/service/main.ts --help`. */

const { runService } = await import('./run-service.ts');
await runService(process.argv.slice(2), process.env);

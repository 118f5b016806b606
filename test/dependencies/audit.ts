import { execFile } from 'node:child_process';
import { repository } from '../support/repository.ts';
import { isShipped } from './lock-file.ts';

/** The known vulnerabilities of high or critical severity, or the reason why the registry did not report any. */
export type Audit = { vulnerabilities: string[] } | { unanswered: string };

interface Advisory {
  severity: string;
  title: string;
  url: string;
}

interface Report {
  auditReportVersion?: number;
  vulnerabilities?: Record<string, { nodes: string[]; via: (string | Advisory)[] }>;
  message?: string;
  statusCode?: number;
}

/** Longest wait for the registry, in milliseconds. */
const timeLimit = 10_000;

/**
 * Asks the registry for vulnerabilities of the packages that are shipped or run. Those that only development needs do
 * not count. Registries without this function, and machines without network, are common, so failures are results.
 *
 * @param env environment variables for npm.
 */
export async function audit(env: Record<string, string> = {}): Promise<Audit> {
  const report = await runNpm({
    // npm reports no vulnerability if it is offline.
    npm_config_offline: 'false',
    npm_config_fetch_retries: '0',
    npm_config_fetch_timeout: String(timeLimit),
    ...env,
  });
  if (report?.auditReportVersion === undefined) return { unanswered: reasonOf(report) };
  const vulnerabilities = Object.entries(report.vulnerabilities ?? {})
    .filter(([, { nodes }]) => nodes.some(isShipped))
    .flatMap(([name, { via }]) =>
      via
        // Packages that only depend on a vulnerable one have its name here.
        .filter((cause) => typeof cause !== 'string')
        .filter(({ severity }) => severity === 'high' || severity === 'critical')
        .map(({ severity, title, url }) => `${name}: ${severity}: ${title} (${url})`),
    );
  return { vulnerabilities };
}

/** Names no address: it may be that of a private registry. */
function reasonOf(report: Report | undefined): string {
  if (report?.statusCode !== undefined) return `it responded with ${report.statusCode}`;
  return /\bE[A-Z]{4,}\b/.exec(report?.message ?? '')?.[0] ?? 'no valid response';
}

const runNpm = (env: Record<string, string>) =>
  new Promise<Report | undefined>((resolve) => {
    const options = {
      cwd: repository,
      env: { ...process.env, ...env },
      timeout: timeLimit,
      maxBuffer: 50_000_000,
    };
    // npm exits with 1 if there are vulnerabilities.
    execFile('npm', ['audit', '--json', '--package-lock-only'], options, (_, output) => {
      try {
        resolve(JSON.parse(output) as Report);
      } catch {
        resolve(undefined);
      }
    });
  });

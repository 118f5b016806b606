import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from './browsers.ts';
import { startChildProcess } from '../process/child-process.ts';
import { freePort } from '../process/free-port.ts';

type WebKit = Extract<Engine, { name: 'webkit' }>;

/** A WebDriver server for WebKit, and the settings a client connects with. */
export interface WebKitDriver {
  readonly connection: {
    hostname: string;
    port: number;
    path: string;
    logLevel: 'silent';
    connectionRetryCount: 0;
    connectionRetryTimeout: number;
    capabilities: { browserName: string; 'wdio:enforceWebDriverClassic': true };
  };
  stop(): Promise<void>;
}

/** Starts WebKitWebDriver on a screen of its own, since WebKitGTK cannot run without one. */
export async function startWebKitDriver(engine: WebKit): Promise<WebKitDriver> {
  const screen = startChildProcess(engine.xvfb, [
    '-displayfd',
    '3',
    '-screen',
    '0',
    '1600x1200x24',
    '-nolisten',
    'tcp',
  ]);
  const display = await screen.waitForLine(3, (line) => /^\d+$/.exec(line)?.[0]);
  const port = await freePort();
  const driver = startChildProcess(engine.webDriver, [`--port=${String(port)}`], {
    env: {
      DISPLAY: `:${display}`,
      WAYLAND_DISPLAY: undefined,
      GDK_BACKEND: 'x11',
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
  });
  const stop = async () => {
    await driver.stop();
    await screen.stop();
  };
  try {
    await waitUntilReady(port);
  } catch (cause) {
    await stop();
    throw new Error(`WebKitWebDriver did not start:\n${driver.output()}`, { cause });
  }
  const capabilities = {
    browserName: 'MiniBrowser',
    'wdio:enforceWebDriverClassic': true as const,
    'webkitgtk:browserOptions': { binary: engine.miniBrowser, args: ['--automation'] },
  };
  const connection = {
    hostname: '127.0.0.1',
    port,
    path: '/',
    logLevel: 'silent' as const,
    // A repeated command would run twice.
    connectionRetryCount: 0 as const,
    connectionRetryTimeout: 60_000,
    capabilities,
  };
  return { connection, stop };
}

async function waitUntilReady(port: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${String(port)}/status`);
      if (response.ok) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(50);
  }
}

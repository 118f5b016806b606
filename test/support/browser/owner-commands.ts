import type { TestRunnerPlugin } from '@web/test-runner-core';
import type { DemoDescription } from '../service/demo-process.ts';

/** A request of the service's owner. Pages cannot send it: the service allows no origin to use API keys. */
export interface OwnerRequest {
  method: 'POST' | 'PUT' | 'DELETE';
  /** Relative to `/api/user/`. */
  path: string;
  body: Record<string, unknown>;
}

/** Lets browser tests send requests with the API key of the service under test. */
export function ownerCommands({ url, apiKey }: DemoDescription): TestRunnerPlugin<OwnerRequest> {
  return {
    name: 'owner-commands',
    async executeCommand({ command, payload }) {
      if (command !== 'owner:request' || !payload) return undefined;
      const response = await fetch(`${url}/api/user/${payload.path}`, {
        method: payload.method,
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(payload.body),
      });
      if (!response.ok) throw new Error(`${payload.path} was refused: ${await response.text()}`);
      return (await response.json()) as unknown;
    },
  };
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startChildProcess } from './child-process.ts';

const script = (code: string) => [process.execPath, ['--eval', code]] as const;

describe('a child process', () => {
  it('is awaited until it prints the expected line', async () => {
    const child = startChildProcess(
      ...script(`console.log('a'); console.log('port 80'); setInterval(() => {}, 1e6)`),
    );
    assert.equal(await child.waitForLine('stdout', (line) => /^port (\d+)$/.exec(line)?.[1]), '80');
    await child.stop();
    assert.equal(await child.ended, 'SIGTERM');
  });

  it('causes an error with its output if it ends before that', async () => {
    const child = startChildProcess(...script(`console.error('out of paper'); process.exitCode = 3`));
    await assert.rejects(
      child.waitForLine('stdout', (line) => line),
      /ended \(3\) before it was ready:\nout of paper/,
    );
  });

  it('causes an error if it takes too long', async () => {
    const child = startChildProcess(...script('setInterval(() => {}, 1e6)'), { startTimeout: 1 });
    await assert.rejects(
      child.waitForLine('stdout', (line) => line),
      /was not ready after 0.001 s/,
    );
    await child.stop();
  });

  it('ends with its own children, even if they ignore signals', { timeout: 60_000 }, async () => {
    const ignoresSignals = `process.on("SIGTERM", () => {}); console.log("deaf"); setInterval(() => {}, 1e6)`;
    const child = startChildProcess(
      ...script(`
        const { spawn } = require('node:child_process');
        spawn(process.execPath, ['--eval', ${JSON.stringify(ignoresSignals)}], { stdio: 'inherit' });
        setInterval(() => {}, 1e6);
      `),
      { stopTimeout: 1 },
    );
    await child.waitForLine('stdout', (line) => line);
    await child.stop();
    // "ended" waits for the output to close, so the grandchild has ended too. Which signal ended the child depends on
    // how quick it was.
    assert.match(String(await child.ended), /^SIG(TERM|KILL)$/);
  });

  it('is killed if it ignores the signal', { timeout: 60_000 }, async () => {
    const child = startChildProcess(
      ...script(`process.on('SIGTERM', () => {}); console.log('deaf'); setInterval(() => {}, 1e6)`),
      { stopTimeout: 1 },
    );
    await child.waitForLine('stdout', (line) => line);
    await child.stop();
    assert.equal(await child.ended, 'SIGKILL');
  });

  it('receives the given environment, without removed variables', async () => {
    process.env['CHILD_PROCESS_TEST'] = 'inherited';
    const code = `console.log(JSON.stringify([process.env.CHILD_PROCESS_TEST, process.env.GIVEN]))`;
    const env = { CHILD_PROCESS_TEST: undefined, GIVEN: 'yes' };
    const child = startChildProcess(...script(code), { env });
    assert.equal(await child.waitForLine('stdout', (line) => line), '[null,"yes"]');
    await child.stop();
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Flite } from '../../src/voice/speech/flite.ts';

declare const WebAssembly: { compile: (bytes: Uint8Array) => Promise<object> };

describe('a voice that could not be loaded', () => {
  it('is loaded again for the next sentence, and then kept', async (context) => {
    const flite = new Flite();
    const compile = context.mock.method(WebAssembly, 'compile');
    compile.mock.mockImplementationOnce(() => Promise.reject(new Error('There is no memory.')));
    await assert.rejects(flite.speak('One.', 'slt', 1), { message: 'There is no memory.' });
    assert.ok((await flite.speak('Two.', 'slt', 1)).samples.length > 0);
    assert.ok((await flite.speak('Three.', 'slt', 1)).samples.length > 0);
    assert.equal(compile.mock.callCount(), 2);
  });
});

import { expect } from '@open-wc/testing';
import { mount, unmountAll } from '../support/chat/chat-fixture.ts';

const originalFetch = window.fetch.bind(window);

async function hexDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Payload {
  number: number;
  salt: string;
  signature: string;
}

describe('a service that requires a proof of work', () => {
  afterEach(async () => {
    window.fetch = originalFetch;
    Reflect.deleteProperty(crypto, 'subtle');
    await unmountAll();
  });

  for (const page of ['with HTTPS', 'without HTTPS']) {
    it(`receives it from a page ${page}, and the visitor sees only the answer`, async () => {
      const salt = `salt?turn=1&`;
      const number = 9_999;
      const challenge = {
        ...{ algorithm: 'SHA-256', challenge: await hexDigest(salt + String(number)) },
        ...{ salt, maxnumber: 10_000, signature: 'signed' },
      };
      const sent: { proof_of_work?: string; key: string | null }[] = [];
      window.fetch = async (input, init) => {
        if (!/\/messages$/.test(input as string)) return originalFetch(input, init);
        const body = JSON.parse(init?.body as string) as { proof_of_work?: string };
        sent.push({ ...body, key: new Headers(init?.headers).get('Idempotency-Key') });
        if (body.proof_of_work !== undefined) return originalFetch(input, init);
        return Response.json(
          { status: false, error: 'Proof of work required.', proof_of_work: challenge },
          { status: 428 },
        );
      };
      // Browsers have it on secure pages only.
      if (page === 'without HTTPS')
        Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true });
      const chat = mount();
      await chat.open();
      await chat.ask('What are your opening hours?');
      await chat.answered(2);
      expect(sent.length).to.equal(2);
      expect(sent[1]?.key).to.equal(sent[0]?.key);
      const payload = JSON.parse(atob(sent[1]?.proof_of_work ?? '')) as Payload;
      expect(payload).to.include({ number, salt, signature: 'signed' });
      expect(chat.findAll('[part~="message-user"]').length).to.equal(1);
    });
  }

  it('shows its error if the challenge has no solution', async () => {
    window.fetch = async (input, init) =>
      /\/messages$/.test(input as string)
        ? Response.json(
            {
              ...{ status: false, error: 'Proof of work required.' },
              proof_of_work: {
                ...{ algorithm: 'SHA-256', challenge: '0'.repeat(64), salt: 's', signature: 's' },
                maxnumber: 300,
              },
            },
            { status: 428 },
          )
        : originalFetch(input, init);
    const chat = mount();
    await chat.open();
    await chat.ask('What are your opening hours?');
    await chat.problem(/./);
  });
});

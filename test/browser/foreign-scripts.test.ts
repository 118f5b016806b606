import { expect } from '@open-wc/testing';
import { unmountAll, until } from '../support/chat/chat-fixture.ts';
import { enumerableObjectProperties, prototypeJs } from '../support/chat/foreign-scripts.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';

const variables = { sizes: ['S', 'M'], city: 'Bern', count: 2, member: { since: '2024' } };

const scripts = {
  'Prototype.js': prototypeJs,
  'enumerable properties on Object.prototype': enumerableObjectProperties,
};

for (const [name, code] of Object.entries(scripts))
  describe(`on a page with ${name}, the widget`, () => {
    const pages: OtherPage[] = [];
    const sent: Record<string, unknown>[] = [];

    /** Opens such a page, with a chat that has variables and records the bodies of its requests. */
    const open = async (): Promise<OtherPage> => {
      const page = await openPage((view) => {
        const script = view.document.createElement('script');
        script.textContent = `{${code}}`;
        view.document.head.append(script);
        const fetch = view.fetch.bind(view);
        view.fetch = (input, init) => {
          if (typeof init?.body === 'string') sent.push(JSON.parse(init.body) as Record<string, unknown>);
          return fetch(input, init);
        };
      });
      pages.push(page);
      page.chat.element.variables = variables;
      page.chat.element.show();
      await page.chat.ready();
      await page.chat.answered(1);
      return page;
    };

    afterEach(async () => {
      for (const page of pages.splice(0)) page.close();
      sent.splice(0);
      await unmountAll();
    });

    it('loads the panel, shows messages, and sends variables unchanged', async () => {
      const { chat } = await open();
      expect(sent[0]?.['variables']).to.deep.equal(variables);
      await chat.ask('What are your opening hours?');
      await chat.answered(2);
      expect(sent.at(-1)?.['message']).to.equal('What are your opening hours?');
      expect(chat.messages).to.have.length(3);
      expect(chat.messages[1]).to.equal('user: What are your opening hours?');
      expect(chat.problems).to.deep.equal([]);
    });

    it('runs a page tool with the arguments that the assistant gave', async () => {
      const { chat } = await open();
      const calls: unknown[] = [];
      chat.element.tools = [
        {
          name: 'show_product',
          description: 'Shows a product on the page.',
          parameters: [{ name: 'code', type: 'string', description: 'Its code', required: true }],
          safe: true,
          run: (args) => {
            calls.push(JSON.parse(JSON.stringify(args)));
            return 'shown';
          },
        },
      ];
      await chat.ask('Please show product "ALP-40".');
      await until(() => calls.length > 0, 'the function to be called');
      expect(calls).to.deep.equal([{ code: 'ALP-40' }]);
    });

    it('restores the conversation after a reload', async () => {
      const first = await open();
      await first.chat.ask('What are your opening hours?');
      await first.chat.answered(2);
      const { messages } = first.chat;
      first.close();
      pages.splice(0);
      const { chat } = await open();
      // The Markdown of an answer is rendered a moment after its text.
      await until(() => chat.messages.join() === messages.join(), 'the history');
    });
  });

import { expect } from '@open-wc/testing';
import { unmountAll, until } from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';
import {
  buttonIn,
  openWithTools,
  productQuestion,
  showProduct,
  toolRequests,
} from '../support/chat/page-tools.ts';

const originalFetch = window.fetch.bind(window);

interface SentBody {
  tool_results?: { result: unknown }[];
}

describe('tool calls of an earlier visit', () => {
  /** The tool results of the last message. */
  let results: unknown[] | undefined;
  beforeEach(() => {
    window.fetch = (input, init) => {
      if (/\/messages$/.test(input as string))
        results = (JSON.parse(init?.body as string) as SentBody).tool_results?.map(({ result }) => result);
      return originalFetch(input, init);
    };
  });
  afterEach(async () => {
    await unmountAll();
    window.fetch = originalFetch;
  });

  it('are not run again, and their results go with the next message', async () => {
    let runs = 0;
    const first = await openWithTools(showProduct(() => runs++, true));
    await first.ask(productQuestion);
    await first.answered(2);
    await until(() => runs === 1, 'the tool to run');
    first.element.remove();
    const second = await openWithTools(showProduct(() => runs++, true));
    await second.answered(2);
    // Its result has not been sent yet.
    await until(() => toolRequests(second)[0]?.innerText.includes('is done') === true, 'the outcome');
    await click(second.find('[part~="continue"] button') as HTMLElement);
    await second.answered(3);
    expect(results).to.deep.equal([0]);
    expect(runs).to.equal(1);
    second.element.remove();
    const third = await openWithTools(showProduct(() => runs++, true));
    await third.answered(3);
    expect(toolRequests(third)).to.deep.equal([]);
  });

  it('ask again if the visitor had not answered, after an undo too, and also if they are safe', async () => {
    let runs = 0;
    const first = await openWithTools(showProduct(() => runs++));
    await first.ask(productQuestion);
    await until(() => toolRequests(first).length === 1, 'the question for consent');
    await first.answered(2);
    first.element.remove();
    const second = await openWithTools(showProduct(() => runs++, true));
    await until(
      () => toolRequests(second)[0]?.innerText.includes('Don’t allow') === true,
      'the question again',
    );
    await click(second.part('restart-button'));
    await until(() => toolRequests(second).length === 0, 'the new conversation');
    await until(() => second.find('[part="undo-button"]') !== null, 'the undo button');
    await click(second.part('undo-button'));
    await until(() => toolRequests(second).length === 1, 'the question after the undo');
    expect(runs).to.equal(0);
    await click(buttonIn(toolRequests(second)[0] as HTMLElement, 'Allow'));
    await until(() => second.find('[part~="continue"] button') !== null, 'the button to continue');
    expect(runs).to.equal(1);
  });
});

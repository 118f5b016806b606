import { postJson } from './post-json.ts';

/** Messages of one conversation: what a visitor asks before they leave. */
const messagesEach = 4;

/** A visitor's whole conversation, with whatever answers. */
export type Visit = () => Promise<void>;

/** A visit to the service. */
export const visitService =
  (url: string, assistants: readonly string[]): Visit =>
  async () => {
    const assistant_id = assistants[Math.floor(Math.random() * assistants.length)];
    const { conversation_id: id } = await postJson(`${url}/api/conversations`, { assistant_id });
    for (let turn = 1; turn <= messagesEach; turn++) {
      await postJson(`${url}/api/conversations/${String(id)}/messages`, {
        message: `Question ${turn}, please?`,
      });
    }
  };

/** As many requests, of the same sizes, to the bare routes. */
export const visitBare =
  (url: string): Visit =>
  async () => {
    const owner = Math.ceil(Math.random() * 1e9);
    await postJson(`${url}/open`, { owner, message: 'Hello! How can I help?' });
    for (let turn = 1; turn <= messagesEach; turn++) {
      await postJson(`${url}/message`, { owner, message: `Question ${turn}, please?` });
    }
  };

/** Requests a second that are answered while that many visitors talk at once. */
export async function measureThroughput(
  visit: Visit,
  visitors: number,
  milliseconds: number,
): Promise<number> {
  const start = performance.now();
  let visits = 0;
  const talk = async () => {
    while (performance.now() - start < milliseconds) {
      await visit();
      visits++;
    }
  };
  await Promise.all(Array.from({ length: visitors }, talk));
  return (visits * (messagesEach + 1) * 1000) / (performance.now() - start);
}

import { postJson } from './post-json.ts';

/** Number of messages that a visitor sends in a conversation. */
const messagesEach = 4;

/** Runs a visitor's whole conversation. */
export type Visit = () => Promise<void>;

/** Returns a visit to the service. */
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

/** Returns a visit to the bare routes, with the same number and sizes of requests. */
export const visitBare =
  (url: string): Visit =>
  async () => {
    const owner = Math.ceil(Math.random() * 1e9);
    await postJson(`${url}/open`, { owner, message: 'Hello! How can I help?' });
    for (let turn = 1; turn <= messagesEach; turn++) {
      await postJson(`${url}/message`, { owner, message: `Question ${turn}, please?` });
    }
  };

/** Measures the requests per second with a number of concurrent visitors. */
export async function measureThroughput(
  visit: Visit,
  visitors: number,
  milliseconds: number,
): Promise<number> {
  const start = performance.now();
  let visits = 0;
  const visitRepeatedly = async () => {
    while (performance.now() - start < milliseconds) {
      await visit();
      visits++;
    }
  };
  await Promise.all(Array.from({ length: visitors }, visitRepeatedly));
  return (visits * (messagesEach + 1) * 1000) / (performance.now() - start);
}

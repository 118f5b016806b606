/** The chapters of the documentation, in order: what they are called, and which paths belong to them. */
const chapters: readonly [name: string, description: string, paths: RegExp][] = [
  [
    'Conversations',
    'Text conversations with an assistant. Open to everyone: an assistant is named by its public UUID, and the UUID of a conversation is the key to it.',
    /^\/api\/(conversations|automate|ai)|^\/api\/user\/(conversations|ai)/,
  ],
  ['Assistants', 'Who talks, how, and what may be chosen for it.', /^\/api\/(assistants|user\/assistants?)/],
  ['Phone numbers', 'The numbers of the account.', /^\/api\/user\/phone-numbers/],
  ['Mid-call tools', 'What an assistant can call while it talks.', /^\/api\/user\/tools/],
  ['Knowledge bases', 'What an assistant can look up.', /^\/api\/user\/knowledgebases/],
  [
    'Campaigns and leads',
    'Whom an assistant calls, and when.',
    /^\/api\/(leads|user\/(campaigns?|leads?|blocked-numbers))/,
  ],
  ['Calls', 'Calls and what came of them.', /^\/api\/(user\/(calls|make_call)|recordings)/],
  ['Webhooks', 'What the service sends by itself.', /^\/api\/user\/webhook/],
  ['Account', 'The user and the keys.', /^\/api\/user\/(me|api-keys)/],
];

/** The chapters that a document has. */
export const tags = chapters.map(([name, description]) => ({ name, description }));

/** The chapter of a path. */
export function tagOf(path: string): string {
  const [name] = chapters.find(([, , paths]) => paths.test(path)) ?? [];
  if (name === undefined) throw new Error(`No chapter of the documentation has ${path}.`);
  return name;
}

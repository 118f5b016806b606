/** The chapters of the documentation, in order, with their paths. */
const chapters: readonly [name: string, description: string, paths: RegExp][] = [
  [
    'Conversations',
    'Text conversations with an assistant. Open to everyone: an assistant is identified by its public UUID, and anyone who has the UUID of a conversation can read and continue it.',
    /^\/api\/(conversations|automate|ai)|^\/api\/user\/(conversations|ai)/,
  ],
  [
    'Assistants',
    'Assistants, and the catalog of languages, voices, models and providers.',
    /^\/api\/(assistants|user\/assistants?)/,
  ],
  ['Phone numbers', 'The numbers of the account.', /^\/api\/user\/phone-numbers/],
  [
    'Mid-call tools',
    'HTTP endpoints that an assistant can call during a conversation.',
    /^\/api\/user\/tools/,
  ],
  ['Knowledge bases', 'Documents that an assistant can search.', /^\/api\/user\/knowledgebases/],
  [
    'Campaigns and leads',
    'Outbound campaigns, the people they call, and blocked numbers.',
    /^\/api\/(leads|user\/(campaigns?|leads?|blocked-numbers))/,
  ],
  [
    'Calls',
    'Calls with their transcripts, recordings and evaluations.',
    /^\/api\/(user\/(calls|make_call)|recordings)/,
  ],
  ['Webhooks', 'Requests that the service sends to your server.', /^\/api\/user\/webhook/],
  [
    'Account',
    'The user, what it spends, what its assistants use of models, the API keys, and the audit log.',
    /^\/api\/user\/(me|spending-limit|model-usage|api-keys|audit-log)/,
  ],
];

/** The tags of the document. */
export const tags = chapters.map(([name, description]) => ({ name, description }));

/** Returns the chapter of a path. */
export function tagOf(path: string): string {
  const [name] = chapters.find(([, , paths]) => paths.test(path)) ?? [];
  if (name === undefined) throw new Error(`The path ${path} belongs to no chapter of the documentation.`);
  return name;
}

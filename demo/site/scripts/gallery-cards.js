import { wishCards } from './wish-cards.js';

/**
 * What the gallery shows.
 *
 * @typedef {object} Card
 * @property {string} id Names the card in addresses: `gallery.html?show=<id>` and `gallery.html#<id>`.
 * @property {string} title
 * @property {string} says What it shows, in one sentence.
 * @property {string} [hint] What to do to see it.
 * @property {Readonly<Record<string, string>>} attributes Of the element that is mounted.
 * @property {Readonly<Record<string, unknown>>} [properties] What only a script can set on it.
 * @property {Readonly<Record<string, string>>} [tokens] Custom properties of the element, without what all names begin with.
 * @property {readonly [question: string, button: string]} [consent] What stands in its consent slot.
 * @property {string} [message] What the card's second button sends.
 * @property {boolean} [floating] Whether the chat floats over the page instead of standing in the card.
 *
 * @typedef {object} Group
 * @property {string} title
 * @property {string} says
 * @property {readonly Card[]} cards
 */

/** What is served as `/assistants.json`. @typedef {{ uuid: string, name: string, shows: string, language: string }} Assistant */

/** @type {Readonly<Record<string, Pick<Card, 'says' | 'hint' | 'floating'>>>} */
const assistantTexts = {
  greeting: {
    says: 'Greets, and answers from the knowledge base of the shop.',
    hint: 'Ask about opening hours, shipping, returns, repairs or sizes.',
  },
  'no-greeting': { says: 'Has no initial message: the visitor has the first word.' },
  settings: {
    says: 'Wears its own settings: dark, top left, in a pale color on which the text stays readable.',
    hint: 'Opens in the top left corner of this window.',
    floating: true,
  },
  german: { says: 'Speaks German, and so does the chat around it.' },
  arabic: { says: 'Speaks Arabic, so that the chat runs from right to left.' },
  'no-balance': { says: 'Belongs to an owner whose balance is empty: the service refuses to open.' },
};

const question = 'Do you have the Kammweg Mid in size 42?';

/** @param {string} kind */
const faultAt = (kind) => ({ 'base-url': `${location.origin}/faults/${kind}`, persist: 'none' });

/**
 * The cards of faults, from rows of kind, title, sentence and hint.
 *
 * @param {string} uuid
 * @param {readonly (readonly [string, string, string, string?])[]} rows
 * @param {string} [message]
 * @returns {Card[]}
 */
const faultCards = (uuid, rows, message) =>
  rows.map(([kind, title, says, hint]) => ({
    id: `error-${kind}`,
    title,
    says,
    ...(hint === undefined ? {} : { hint }),
    ...(message === undefined ? {} : { message }),
    attributes: { 'assistant-id': uuid, ...faultAt(kind) },
  }));

/**
 * @param {string} uuid
 * @returns {Card[]}
 */
const lookCards = (uuid) => [
  {
    id: 'look-dark',
    title: 'Dark',
    says: 'The attributes of the tag override what the assistant says about its look.',
    attributes: { 'assistant-id': uuid, theme: 'dark', color: '#8b5cf6' },
  },
  {
    id: 'look-pale',
    title: 'Pale',
    says: 'A color of almost no contrast: whatever stands on it is repaired to be readable.',
    attributes: { 'assistant-id': uuid, theme: 'light', color: '#fff6d6' },
  },
  {
    id: 'look-texts',
    title: 'Own texts',
    says: 'Heading, subheading and placeholder of the site, not of the assistant.',
    attributes: {
      'assistant-id': uuid,
      heading: 'Ask Kim',
      subheading: 'Usually answers at once',
      placeholder: 'What are you looking for?',
    },
  },
  {
    id: 'look-floating',
    title: 'Floating, with a label',
    says: 'A launcher with words on it, bottom left.',
    hint: 'Opens in the corner of this window.',
    floating: true,
    attributes: {
      'assistant-id': uuid,
      position: 'left-bottom',
      'launcher-label': 'Questions?',
      'launcher-sublabel': 'Ask Kim',
    },
  },
  {
    id: 'look-test',
    title: 'For builders',
    says: 'The free test mode, with variables, function calls and timings.',
    attributes: { 'assistant-id': uuid, type: 'test', variables: '{"first_name":"Ada"}', persist: 'none' },
  },
];

/**
 * @param {string} uuid
 * @returns {Card[]}
 */
const beginningCards = (uuid) => [
  {
    id: 'begin-consent',
    title: 'Consent',
    says: 'Nothing is stored and nothing is sent before the visitor agrees.',
    attributes: { 'assistant-id': uuid, persist: 'none' },
    consent: ['This chat is answered by a computer. Do you agree?', 'I agree'],
  },
  {
    id: 'begin-form',
    title: 'A form',
    says: 'What the visitor fills in becomes variables of the conversation.',
    attributes: { 'assistant-id': uuid, persist: 'none' },
    properties: {
      form: [
        { name: 'first_name', label: 'First name', required: true, autocomplete: 'given-name' },
        { name: 'email', label: 'E-mail', type: 'email', required: true },
        { name: 'topic', label: 'What is it about?', type: 'select', options: ['An order', 'A repair'] },
      ],
    },
  },
  {
    id: 'begin-suggestions',
    title: 'Suggestions',
    says: 'What visitors often ask, to be sent with one click.',
    attributes: { 'assistant-id': uuid, persist: 'none' },
    properties: { suggestions: ['When do you open?', 'How much is shipping?', 'Can I return shoes?'] },
  },
  {
    id: 'begin-teaser',
    title: 'A teaser',
    says: 'A bubble beside the launcher, until the visitor opens the chat or sends the bubble away.',
    hint: 'The bubble comes in the corner of this window.',
    floating: true,
    attributes: {
      'assistant-id': uuid,
      persist: 'none',
      teaser: 'Not sure about the size? Ask Kim.',
      'teaser-delay': '1',
    },
  },
];

const waits = 'Takes as long as the chat has patience.';

/** @type {readonly (readonly [string, string, string, string?])[]} */
const openingFaults = [
  ['not-found', 'Assistant not found', 'The service does not know the assistant.'],
  ['insufficient-balance', 'Insufficient balance', 'The owner cannot pay for a conversation.'],
  ['server-error', 'Server error', 'The service fails inside and says nothing of use.'],
  ['unreachable', 'Unreachable', 'The connection closes without an answer.'],
  ['timeout', 'No answer', 'The service accepts the request and never answers.', waits],
  ['html', 'A page, not data', 'Something else answers in the place of the service, with a web page.'],
  ['truncated', 'Cut off', 'The answer ends in the middle, and the connection with it.'],
  ['wrong-types', 'Wrong types', 'The answer is JSON, but every field holds something else.'],
  ['empty', 'Empty', 'The answer is a success without a body.'],
  ['too-large', 'Too large', 'The answer never ends; the chat stops reading.'],
];

/** @type {readonly (readonly [string, string, string, string?])[]} */
const answerFaults = [
  ['too-many-requests', 'Too many requests', 'The service asks to wait for five seconds; then it answers.'],
  ['engine-failed', 'Engine failed', 'The language model behind the assistant is not available.'],
  ['balance-spent', 'Balance spent', 'The balance runs out in the middle of a conversation.'],
  ['conversation-not-found', 'Conversation not found', 'The service has forgotten the conversation.'],
  ['ended', 'Ended', 'The conversation ends after one answer.', 'Send a second message.'],
  ['message-refused', 'Message refused', 'A stricter service that takes twenty characters at most.'],
  ['cut-stream', 'Broken stream', 'The answer breaks off in the middle, and is lost.'],
  [
    'cut-line',
    'Broken line',
    'The answer breaks off, but the service has it: the chat finds it in the history.',
  ],
  ['unreachable-on-message', 'Connection lost', 'The conversation opens, then the connection closes.'],
  ['timeout-on-message', 'Silence', 'The conversation opens, then the service never answers.', waits],
  ['server-error-on-message', 'Server error', 'The conversation opens, then the service fails inside.'],
  ['html-on-message', 'A page, not an answer', 'The conversation opens, then a web page comes back.'],
];

/**
 * Every card, in groups.
 *
 * @param {readonly Assistant[]} assistants
 * @returns {Group[]}
 */
export function galleryGroups(assistants) {
  const uuid = assistants.find(({ shows }) => shows === 'greeting')?.uuid ?? '';
  return [
    {
      title: 'Assistants',
      says: 'As seeded, each with its own language, look and owner.',
      cards: assistants.map(({ uuid, name, shows }) => ({
        id: `assistant-${shows}`,
        title: name,
        ...(assistantTexts[shows] ?? { says: shows }),
        attributes: { 'assistant-id': uuid },
      })),
    },
    { title: 'Looks', says: 'What a site can set on the tag.', cards: lookCards(uuid) },
    { title: 'Beginnings', says: 'What can stand before the first question.', cards: beginningCards(uuid) },
    {
      title: 'Wishes',
      says: 'What a site can ask for besides. It loads only there.',
      cards: wishCards(uuid, faultAt),
    },
    {
      title: 'When it cannot open',
      says: 'Each says what is wrong, and offers what helps.',
      cards: [
        {
          id: 'error-missing-id',
          title: 'No assistant named',
          says: 'The tag has no assistant-id.',
          attributes: { persist: 'none' },
        },
        {
          id: 'error-malformed-id',
          title: 'Malformed assistant-id',
          says: 'The assistant-id is not a UUID.',
          attributes: { 'assistant-id': 'my-assistant', persist: 'none' },
        },
        ...faultCards(uuid, openingFaults),
      ],
    },
    {
      title: 'When it cannot answer',
      says: 'The conversation opens. What the visitor wrote is never lost.',
      cards: faultCards(uuid, answerFaults, question),
    },
    {
      title: 'Other services',
      says: 'No fault at all: they speak the same interface, with less or with more.',
      cards: [
        {
          id: 'service-json-only',
          title: 'JSON only',
          says: 'No streaming, no idempotency keys, no settings: the answer comes in one piece.',
          attributes: { 'assistant-id': uuid, ...faultAt('json-only') },
          message: question,
        },
        {
          id: 'service-taken-over',
          title: 'A person answers',
          says: 'A person has taken the conversation over, and answers after a while.',
          attributes: { 'assistant-id': uuid, ...faultAt('taken-over') },
          message: question,
        },
        {
          id: 'service-word-by-word',
          title: 'Word by word',
          says: 'The answer is written slowly enough to be watched, or stopped.',
          attributes: { 'assistant-id': uuid, ...faultAt('word-by-word') },
          message: question,
        },
        {
          id: 'service-function-calls',
          title: 'Function calls',
          says: 'The assistant looks up an order; the builder sees with what, and what came of it.',
          attributes: { 'assistant-id': uuid, ...faultAt('function-calls'), type: 'test' },
          message: 'Where is my order 4711?',
        },
      ],
    },
  ];
}

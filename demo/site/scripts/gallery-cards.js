import { optionCards } from './option-cards.js';

/**
 * A card of the gallery.
 *
 * @typedef {object} Card
 * @property {string} id Names the card in addresses: `gallery.html?show=<id>` and `gallery.html#<id>`.
 * @property {string} title
 * @property {string} says Describes it in one sentence.
 * @property {string} [hint] How to see it.
 * @property {Readonly<Record<string, string>>} attributes Attributes of the element.
 * @property {Readonly<Record<string, unknown>>} [properties] Properties of the element, for values that attributes cannot hold.
 * @property {Readonly<Record<string, string>>} [tokens] Custom properties of the element, without their common prefix.
 * @property {readonly [question: string, button: string]} [consent] Content of its consent slot.
 * @property {string} [message] Message that the card's second button sends.
 * @property {boolean} [floating] Whether the chat floats over the page instead of being inline in the card.
 *
 * @typedef {object} Group
 * @property {string} title
 * @property {string} says
 * @property {readonly Card[]} cards
 */

/** An entry of `/assistants.json`. @typedef {{ uuid: string, name: string, shows: string, language: string }} Assistant */

/** @type {Readonly<Record<string, Pick<Card, 'says' | 'hint' | 'floating'>>>} */
const assistantTexts = {
  greeting: {
    says: 'Greets, and answers from the knowledge base of the shop.',
    hint: 'Ask about opening hours, shipping, returns, repairs or sizes.',
  },
  'no-greeting': { says: 'Has no initial message, so the visitor writes first.' },
  settings: {
    says: 'Has its own settings: dark, top left, in a pale color with readable text.',
    hint: 'Opens in the top left corner of this window.',
    floating: true,
  },
  german: { says: 'Speaks German, with a chat in German.' },
  arabic: { says: 'Speaks Arabic, with a chat from right to left.' },
  'no-balance': { says: 'Has an owner without balance, so the service refuses to open a conversation.' },
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
    says: 'The attributes of the tag override the assistant’s settings.',
    attributes: { 'assistant-id': uuid, theme: 'dark', color: '#8b5cf6' },
  },
  {
    id: 'look-pale',
    title: 'Pale',
    says: 'A color with almost no contrast: text on it is adjusted to be readable.',
    attributes: { 'assistant-id': uuid, theme: 'light', color: '#fff6d6' },
  },
  {
    id: 'look-texts',
    title: 'Own texts',
    says: 'The site’s heading, subheading and placeholder.',
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
    says: 'A launcher with a label, bottom left.',
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
    says: 'Nothing is stored or sent before the visitor agrees.',
    attributes: { 'assistant-id': uuid, persist: 'none' },
    consent: ['This chat is answered by a computer. Do you agree?', 'I agree'],
  },
  {
    id: 'begin-form',
    title: 'A form',
    says: 'The visitor’s answers become variables of the conversation.',
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
    says: 'Common questions that visitors send with one click.',
    attributes: { 'assistant-id': uuid, persist: 'none' },
    properties: { suggestions: ['When do you open?', 'How much is shipping?', 'Can I return shoes?'] },
  },
  {
    id: 'begin-teaser',
    title: 'A teaser',
    says: 'A bubble beside the launcher, until the visitor opens the chat or dismisses it.',
    hint: 'The bubble appears in the corner of this window.',
    floating: true,
    attributes: {
      'assistant-id': uuid,
      persist: 'none',
      teaser: 'Not sure about the size? Ask Kim.',
      'teaser-delay': '1',
    },
  },
];

const waits = 'Waits until the chat’s time limit.';

/** @type {readonly (readonly [string, string, string, string?])[]} */
const openingFaults = [
  ['not-found', 'Assistant not found', 'The service does not know the assistant.'],
  ['insufficient-balance', 'Insufficient balance', 'The owner cannot pay for a conversation.'],
  ['origin-not-allowed', 'Another site', 'The owner does not allow this site to use the assistant.'],
  ['server-error', 'Server error', 'The service has an internal error without details.'],
  ['unreachable', 'Unreachable', 'The connection closes without an answer.'],
  ['timeout', 'No answer', 'The service accepts the request and never answers.', waits],
  ['html', 'A web page, not JSON', 'Another server answers with a web page.'],
  ['truncated', 'Cut off', 'The connection closes in the middle of the answer.'],
  ['wrong-types', 'Wrong types', 'The answer is JSON, but every field has the wrong type.'],
  ['empty', 'Empty', 'The answer is a success without a body.'],
  ['too-large', 'Too large', 'The answer never ends; the chat stops reading.'],
];

/** @type {readonly (readonly [string, string, string, string?])[]} */
const answerFaults = [
  [
    'too-many-requests',
    'Too many requests',
    'The service asks the chat to wait for five seconds, then answers.',
  ],
  ['engine-failed', 'Engine failed', 'The language model behind the assistant is not available.'],
  [
    'limit-reached',
    'Limit reached',
    'The assistant has answered as many messages as its owner allows a day.',
  ],
  ['balance-spent', 'Balance spent', 'The balance runs out in the middle of a conversation.'],
  ['conversation-not-found', 'Conversation not found', 'The service no longer has the conversation.'],
  ['ended', 'Ended', 'The conversation ends after one answer.', 'Send a second message.'],
  ['message-refused', 'Message refused', 'A stricter service that accepts at most twenty characters.'],
  ['cut-stream', 'Broken stream', 'The stream ends in the middle, and the answer is lost.'],
  [
    'cut-line',
    'Broken connection',
    'The stream ends in the middle, and the chat reads the whole answer from the history.',
  ],
  ['unreachable-on-message', 'Connection lost', 'The conversation opens, then the connection closes.'],
  ['timeout-on-message', 'Silence', 'The conversation opens, then the service never answers.', waits],
  [
    'server-error-on-message',
    'Server error',
    'The conversation opens, then the service has an internal error.',
  ],
  ['html-on-message', 'A web page, not an answer', 'The conversation opens, then a web page comes back.'],
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
      says: 'The seeded assistants, each with its own language, appearance and owner.',
      cards: assistants.map(({ uuid, name, shows }) => ({
        id: `assistant-${shows}`,
        title: name,
        ...(assistantTexts[shows] ?? { says: shows }),
        attributes: { 'assistant-id': uuid },
      })),
    },
    { title: 'Appearance', says: 'Attributes that a site can set on the tag.', cards: lookCards(uuid) },
    { title: 'Before the chat', says: 'Steps before the first question.', cards: beginningCards(uuid) },
    {
      title: 'Options',
      says: 'Features that load only on sites that enable them.',
      cards: optionCards(uuid, faultAt),
    },
    {
      title: 'When it cannot open',
      says: 'Each explains the problem and offers a solution.',
      cards: [
        {
          id: 'error-missing-id',
          title: 'No assistant-id',
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
      says: 'The conversation opens. No message is ever lost.',
      cards: faultCards(uuid, answerFaults, question),
    },
    {
      title: 'Other services',
      says: 'Services without faults that implement less or more of the interface.',
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
          says: 'A person has taken over the conversation, and answers after a while.',
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
          says: 'The assistant looks up an order; the builder sees the arguments and the result.',
          attributes: { 'assistant-id': uuid, ...faultAt('function-calls'), type: 'test' },
          message: 'Where is my order 4711?',
        },
      ],
    },
  ];
}

/** @typedef {import('./gallery-cards.js').Card} Card */

/**
 * What a site can ask for besides.
 *
 * @param {string} uuid
 * @param {(kind: string) => Readonly<Record<'base-url' | 'persist', string>>} faultAt
 * @returns {readonly Card[]}
 */
export const wishCards = (uuid, faultAt) => [
  {
    id: 'wish-voice',
    title: 'Voice',
    says: 'A microphone beside the composer, and a loudspeaker below each answer.',
    hint: 'What the browser cannot do, it says at the click.',
    attributes: { 'assistant-id': uuid, persist: 'none', voice: '' },
    message: 'When do you open?',
  },
  {
    id: 'wish-tools',
    title: 'Tools of the page',
    says: 'The assistant asks for a function of this page; the visitor allows it or not.',
    hint: 'Send the message and allow it: the title of this page changes.',
    attributes: { 'assistant-id': uuid, persist: 'none' },
    properties: {
      tools: [
        {
          name: 'show_product',
          title: 'Show a product',
          description: 'Shows a product on the page.',
          parameters: [
            {
              name: 'code',
              title: 'Product code',
              type: 'string',
              description: 'The code of the product',
              required: true,
            },
          ],
          /** @param {{ code?: unknown }} given */
          run: ({ code }) => {
            document.title = `Product ${String(code)}`;
            return { shown: code };
          },
        },
      ],
    },
    message: 'Please show product "KM-42".',
  },
  {
    id: 'wish-history',
    title: 'A long history',
    says: 'Weeks of talk: it opens at its end, and a button at the top brings what was said before.',
    hint: 'The button is there when you come back: open the card, load the page anew, and open it again.',
    attributes: { 'assistant-id': uuid, 'base-url': faultAt('long-history')['base-url'] },
  },
  {
    id: 'wish-images',
    title: 'Images',
    says: 'Images of an origin that the site allows show; any other is a link.',
    attributes: { 'assistant-id': uuid, ...faultAt('images'), 'allow-images': location.origin },
    message: 'Where is your shop?',
  },
  {
    id: 'wish-sound',
    title: 'Sound',
    says: 'A soft tone for an answer that comes while the visitor is elsewhere. The menu switches it off.',
    hint: 'Send the message and look at another tab for a while.',
    attributes: { 'assistant-id': uuid, ...faultAt('taken-over'), sound: '' },
    message: 'Do you have the Kammweg Mid in size 42?',
  },
  {
    id: 'wish-function-calls',
    title: 'Function calls',
    says: 'Visitors see the names of what the assistant used for an answer.',
    attributes: { 'assistant-id': uuid, ...faultAt('function-calls'), 'show-function-calls': '' },
    message: 'Where is my order 4711?',
  },
  {
    id: 'wish-tokens',
    title: 'Tokens',
    says: 'Colors, type and corners of the site’s own, by custom properties.',
    attributes: { 'assistant-id': uuid, persist: 'none', theme: 'light' },
    tokens: {
      accent: '#7a3b1d',
      surface: '#fbf6ec',
      text: '#2b2118',
      radius: '4px',
      font: 'Georgia, "Noto Serif", serif',
      'font-size': '17px',
    },
    message: 'How much is shipping?',
  },
];

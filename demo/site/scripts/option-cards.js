/** @typedef {import('./gallery-cards.js').Card} Card */

/**
 * Features that a site can enable.
 *
 * @param {string} uuid
 * @param {(kind: string) => Readonly<Record<'base-url' | 'persist', string>>} faultAt
 * @returns {readonly Card[]}
 */
export const optionCards = (uuid, faultAt) => [
  {
    id: 'option-voice',
    title: 'Voice',
    says: 'A microphone beside the composer, and a loudspeaker below each answer.',
    hint: 'If the browser does not support it, a click explains that.',
    attributes: { 'assistant-id': uuid, persist: 'none', voice: '' },
    message: 'When do you open?',
  },
  {
    id: 'option-tools',
    title: 'Page tools',
    says: 'The assistant requests a function of this page, and the visitor allows or declines it.',
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
    id: 'option-history',
    title: 'A long history',
    says: 'A conversation of several weeks opens at its end; a button at the top loads earlier messages.',
    hint: 'To see the button, open the card, reload the page, and open it again.',
    attributes: { 'assistant-id': uuid, 'base-url': faultAt('long-history')['base-url'] },
  },
  {
    id: 'option-images',
    title: 'Images',
    says: 'Images from allowed origins are shown; others become links.',
    attributes: { 'assistant-id': uuid, ...faultAt('images'), 'allow-images': location.origin },
    message: 'Where is your shop?',
  },
  {
    id: 'option-sound',
    title: 'Sound',
    says: 'A soft tone for answers while the visitor is elsewhere. The menu switches it off.',
    hint: 'Send the message and look at another tab for a while.',
    attributes: { 'assistant-id': uuid, ...faultAt('taken-over'), sound: '' },
    message: 'Do you have the Kammweg Mid in size 42?',
  },
  {
    id: 'option-function-calls',
    title: 'Function calls',
    says: 'Visitors see the names of the functions that the assistant has called.',
    attributes: { 'assistant-id': uuid, ...faultAt('function-calls'), 'show-function-calls': '' },
    message: 'Where is my order 4711?',
  },
  {
    id: 'option-tokens',
    title: 'Custom properties',
    says: 'Colors, type and corners set by the site.',
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

/** The ways to put the chat on a site. @typedef {'script' | 'html' | 'npm'} SnippetKind */

/** An attribute's value in quotes; in single quotes if it contains double ones, as JSON does. @param {string} value */
function quoted(value) {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return value.includes('"') ? `'${text.replaceAll("'", '&#39;')}'` : `"${text}"`;
}

/**
 * The attributes of a tag, one per line.
 *
 * @param {Readonly<Record<string, string>>} attributes An empty value is left out, as in `inline`.
 * @param {string} prefix
 */
const attributeLines = (attributes, prefix = '') =>
  Object.entries(attributes)
    .map(([name, value]) => `\n  ${prefix}${name}${value === '' ? '' : `=${quoted(value)}`}`)
    .join('');

/**
 * The snippet for a site.
 *
 * @param {SnippetKind} kind
 * @param {Readonly<Record<string, string>>} attributes Of the element.
 * @param {string} origin Of the service.
 */
export function snippetOf(kind, attributes, origin) {
  if (kind === 'script')
    return `<script\n  src=${quoted(`${origin}/embed.js`)}${attributeLines(attributes, 'data-')}\n  async\n></script>`;
  if (kind === 'html')
    return (
      `<script type="module" src=${quoted(`${origin}/voice-assistant-chat.js`)}></script>\n` +
      `<voice-assistant-chat${attributeLines(attributes)}\n></voice-assistant-chat>`
    );
  return (
    `npm install voice-assistant-chat\n\n// once, in any module\nimport 'voice-assistant-chat';\n\n` +
    `<voice-assistant-chat${attributeLines({ ...attributes, 'base-url': origin })}\n></voice-assistant-chat>`
  );
}

/** @type {Readonly<Record<SnippetKind, string>>} */
export const snippetNotes = {
  script: 'One tag, anywhere in the page. It adds the chat to the end of the page.',
  html: 'The element stands where you put it. The script may stand anywhere.',
  npm: 'For sites with a build. The element works in every framework.',
};

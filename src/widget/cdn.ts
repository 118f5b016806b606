/*
 * The file at the short URLs of CDNs, such as `https://cdn.jsdelivr.net/npm/voice-assistant-chat`, from which the other
 * files could not be found, or at its full address. Replaces its script by one that loads `embed.js`, with the same attributes.
 */

const short = (document.currentScript ??
  document.querySelector('[data-assistant-id],[src*=assistant-id]')) as HTMLScriptElement;
const script = Object.assign(document.createElement('script'), {
  src: short.src.replace(/(\/dist\/cdn\.js|\/)?(\?.*)?$/, '/dist/embed.js$2'),
  nonce: short.nonce,
});
for (const [name, value] of Object.entries(short.dataset)) script.dataset[name] = value;
short.replaceWith(script);

/* The element of `embed.js`, and its address. Replaces `files-url.ts` in the build as a classic script. */

/**
 * The script's element. `document.currentScript` is null for a module, and the element of another script if an
 * optimizer has merged them.
 */
export const script = (
  /embed/.test((document.currentScript as HTMLScriptElement | null)?.src as string)
    ? document.currentScript
    : document.querySelector('[data-assistant-id],[src*=assistant-id],[type=module][src*="/embed/"]')
) as HTMLScriptElement | null;

/**
 * The URL of the folder of the files, and the UUID in the URL of the short snippet. A script that an optimizer has put into
 * the page has no URL: its files are at the service, or unknown.
 */
export const [, filesUrl, assistantId] = (/(.*\W.*\/)embed\/?([^/]*)\.js/.exec(
  script?.src || `${script?.dataset['baseUrl']}/embed.js`,
) ?? []) as (string | undefined)[];

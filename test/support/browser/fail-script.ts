export const failingScriptCookie = 'failing-script';

let copies = 0;

/** The path of a copy of the built widget that the browser has not loaded yet. */
export function uncachedWidget(): string {
  return `/copies/${String(Date.now())}-${String(copies++)}/dist/voice-assistant-chat.js`;
}

/** Makes requests of a copy for the built file of that name fail from now on; without a name, none. */
export function failScript(name?: string): void {
  document.cookie = `${failingScriptCookie}=${name ?? ''}; path=/${name ? '' : '; max-age=0'}`;
}

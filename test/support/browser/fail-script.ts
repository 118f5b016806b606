export const failingScriptCookie = 'failing-script';
export const heldScriptCookie = 'held-script';

let copies = 0;

/** The path of a copy of the built widget that the browser has not loaded yet. */
export function uncachedWidget(): string {
  return `/copies/${String(Date.now())}-${String(copies++)}/dist/voice-assistant-chat.js`;
}

/** Makes requests of a copy for the built file `name` fail from now on; without a name, no requests fail. */
export function failScript(name?: string): void {
  setCookie(failingScriptCookie, name);
}

/** Leaves requests of a copy for the built file `name` unanswered from now on; without a name, all are answered. */
export function holdScript(name?: string): void {
  setCookie(heldScriptCookie, name);
}

function setCookie(cookie: string, value = ''): void {
  document.cookie = `${cookie}=${value}; path=/${value ? '' : '; max-age=0'}`;
}

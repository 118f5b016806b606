/* eslint-disable no-console -- the `debug` attribute turns it on */

/** Writes a line to the console; `details` are shown as a collapsed table below it. */
export function logLine(line: string, details?: object): void {
  const title = `<voice-assistant-chat> ${line}`;
  if (details === undefined) {
    console.log(title);
    return;
  }
  console.groupCollapsed(title);
  console.table(details);
  console.groupEnd();
}

/* eslint-disable no-console -- `debug` asks for it */

/** Writes a line to the console; `details` are a table that opens below it. */
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

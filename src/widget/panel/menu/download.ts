/** The URL of the last file. The browser needs it for an unknown time, so the next download revokes it. */
let address = '';

/** Downloads a text as a file. */
export function download(text: string, type: string, name: string): void {
  URL.revokeObjectURL(address);
  address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

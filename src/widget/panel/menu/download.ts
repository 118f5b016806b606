/** The URL of the last file. It must outlive the click by an unknown time, so the next file revokes it. */
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

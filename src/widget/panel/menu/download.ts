/** Of the last file. It must outlast the click, and no timer says for how long: the next file takes its place. */
let address = '';

/** Hands a text to the visitor as a file. */
export function download(text: string, type: string, name: string): void {
  URL.revokeObjectURL(address);
  address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

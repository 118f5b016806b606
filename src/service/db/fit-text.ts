/** PostgreSQL's text can hold neither null characters, which are left out, nor half an emoji, which becomes U+FFFD. */
export const fitText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The same for every text and name in JSON that comes from a model, a tool or a website. */
export function fitJson<Json>(json: Json): Json {
  return fit(json) as Json;
}

function fit(json: unknown): unknown {
  if (typeof json === 'string') return fitText(json);
  if (Array.isArray(json)) return json.map(fit);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [fitText(name), fit(item)]));
}

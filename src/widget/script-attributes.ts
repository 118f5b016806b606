/** The attribute names of other vendors' snippets. */
const otherNames: Readonly<Record<string, string>> = {
  'header-title': 'heading',
  'header-subtitle': 'subheading',
  'button-main-text': 'launcher-label',
  'button-sub-text': 'launcher-sublabel',
};

/** Returns the attributes that a script sets on its chat: the parameters of its URL, and its `data-` attributes. */
export function attributesOf(script: HTMLScriptElement | null | undefined): [name: string, value: string][] {
  const dataset = [...(script?.attributes ?? [])].flatMap(({ name, value }) =>
    name.startsWith('data-') ? [[name.slice('data-'.length), value] as const] : [],
  );
  const given = [...new URLSearchParams(script?.src.split('?')[1]), ...dataset];
  return given.map(([name, value]) => [otherNames[name] ?? name, value]);
}

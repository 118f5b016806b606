/**
 * Replaces `{{ name }}` in a text with the variable's value, in a single pass: values that look like placeholders stay
 * as they are. Unknown names and null become empty; only own properties count (`{{constructor}}`). Values other than
 * strings are written as JSON. (Interface: "Custom variables".)
 *
 * @param format formats a value differently, unless it returns undefined.
 */
export function fillVariables(
  template: string,
  variables: Readonly<Record<string, unknown>>,
  format?: (value: unknown, name: string) => string | undefined,
): string {
  return template.replace(/\{\{([^{}]*)\}\}/g, (_, written: string) => {
    const name = written.trim();
    const value = Object.hasOwn(variables, name) ? variables[name] : null;
    if (value === null || value === undefined) return '';
    return format?.(value, name) ?? (typeof value === 'string' ? value : JSON.stringify(value));
  });
}

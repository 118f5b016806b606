/**
 * Replaces `{{ name }}` in a text with the variable's value, in a single pass: values that look like placeholders stay
 * as they are. Unknown names and null become empty; only own properties count (`{{constructor}}`). Values other than
 * strings are written as JSON. (Interface: "Custom variables".)
 */
export function fillVariables(template: string, variables: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{\{([^{}]*)\}\}/g, (_, name: string) => {
    const key = name.trim();
    const value = Object.hasOwn(variables, key) ? variables[key] : null;
    if (value === null || value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

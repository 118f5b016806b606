/**
 * Fills `{{ name }}` in a text, in a single pass: a value that looks like a placeholder stays as it is. Only own
 * properties count, so `{{constructor}}` is an unknown name, and unknown names become empty. Anything but text is
 * written as JSON, except null, which is empty. (Interface: "Custom variables".)
 */
export function fillVariables(template: string, variables: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{\{([^{}]*)\}\}/g, (_, name: string) => {
    const key = name.trim();
    const value = Object.hasOwn(variables, key) ? variables[key] : null;
    if (value === null || value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

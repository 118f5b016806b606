import { limits } from '../../../contract/limits.ts';
import type { FormField } from '../../form-field.ts';
import { warnOnce } from '../../warn-once.ts';

/** The maximum number of fields: visitors leave longer forms. */
const maxFields = 20;
const types = ['text', 'email', 'tel', 'url', 'number', 'textarea', 'select', 'checkbox'];

/** Returns the valid fields of a site's form. Logs a warning for each invalid one. */
export function validFields(form: unknown): readonly FormField[] {
  const all: readonly unknown[] = Array.isArray(form) ? form : [];
  if (!Array.isArray(form)) warnOnce('form: use an array of fields.');
  if (all.length > maxFields) warnOnce(`form: only the first ${maxFields} fields are asked for.`);
  const fields: FormField[] = [];
  all.slice(0, maxFields).forEach((value, index) => {
    const field = { ...(value as FormField | undefined) } as FormField;
    const fault = faultOf(field) ?? (fields.some(({ name }) => name === field.name) && 'its name is taken');
    if (fault) warnOnce(`form[${index}] is left out: ${fault}.`);
    else fields.push(field);
  });
  return fields;
}

function faultOf({ name, label, type, options, autocomplete }: FormField): string | undefined {
  const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
  const { nameCharacters } = limits.variables;
  if (!isText(name) || name.length > nameCharacters) {
    return `it needs a name of 1 to ${nameCharacters} characters`;
  }
  if (!isText(label)) return 'it needs a label';
  if (type !== undefined && !types.includes(type)) return `its type must be ${types.join(', ')}`;
  if (type === 'select' && !(Array.isArray(options) && options.length > 0 && options.every(isText)))
    return 'a select needs options, which are texts';
  return autocomplete === undefined || isText(autocomplete) ? undefined : 'autocomplete must be text';
}

import { html, nothing, type TemplateResult } from 'lit/html.js';
import { limits } from '../../../contract/limits.ts';
import type { FormField } from '../../form-field.ts';
import type { Texts } from '../../texts/texts.ts';
import type { VisitStorage } from '../../conversation/storage/visit-storage.ts';
import { checkField, type Fault } from './check-field.ts';
import { validFields } from './valid-fields.ts';

type Answers = Record<string, string | boolean>;

/** A site's form and the visitor's answers so far, which are stored until the conversation opens. */
export class FormState {
  readonly fields: readonly FormField[];
  /** The answers that were stored when the form appeared, if their fields can still show them. */
  readonly initial: Readonly<Answers>;
  readonly answers: Answers;
  readonly faults = new Map<string, Fault>();
  readonly #form: unknown;
  readonly #storage: VisitStorage;
  readonly #key: string;

  /** @param key the storage key of the answers */
  constructor(form: unknown, storage: VisitStorage, key: string) {
    this.#form = form;
    this.#storage = storage;
    this.#key = key;
    this.fields = validFields(form);
    const stored = parseAnswers(storage.getItem(key));
    this.initial = Object.fromEntries(
      Object.entries(stored).filter(([name, answer]) =>
        this.fields.every((field) => field.name !== name || canShow(field, answer)),
      ),
    );
    this.answers = { ...this.initial };
  }

  isFor(form: unknown): boolean {
    // A page that renders again may pass the same fields in a new array.
    return form === this.#form || JSON.stringify(form) === JSON.stringify(this.#form);
  }

  answer(name: string, value: string | boolean): void {
    this.answers[name] = value;
    this.#storage.setItem(this.#key, JSON.stringify(this.answers));
  }
}

function parseAnswers(json: string): Answers {
  try {
    const entries = Object.entries({ ...(JSON.parse(json || '{}') as Answers) });
    return Object.fromEntries(entries.filter(([, value]) => /^(string|boolean)$/.test(typeof value)));
  } catch {
    return {}; // It is not JSON.
  }
}

/** Whether the control shows an answer: one that stays invisible could not be corrected. */
function canShow(field: FormField, answer: string | boolean): boolean {
  const hasOwnValues = field.type === 'select' || field.type === 'number';
  return !hasOwnValues || checkField(field, answer).fault !== 'invalid';
}

/** @param onComplete called with the valid answers, by the names of their variables */
export function formView(
  form: FormState,
  texts: Texts,
  requestRender: () => void,
  onComplete: (answers: Readonly<Record<string, unknown>>) => void,
): TemplateResult {
  const { fields, answers, faults } = form;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const element = event.target as HTMLFormElement;
    const values: Record<string, unknown> = {};
    faults.clear();
    fields.forEach((field, index) => {
      const { validity } = element[index] as HTMLInputElement;
      const { fault, value } = checkField(field, answers[field.name], validity.badInput);
      if (fault) faults.set(field.name, fault);
      if (value !== undefined) values[field.name] = value;
    });
    requestRender();
    const first = fields.findIndex(({ name }) => faults.has(name));
    if (first < 0) onComplete(values);
    else element.querySelector<HTMLElement>(`#field-${first}`)?.focus();
  };
  return html`<form part="form" novalidate @submit=${onSubmit}>
    ${fields.map((field, index) => row(form, field, index, texts, requestRender))}
    <button part="start-button" type="submit">${texts.startChat}</button>
  </form>`;
}

function row(
  form: FormState,
  field: FormField,
  index: number,
  texts: Texts,
  requestRender: () => void,
): TemplateResult {
  const { name, label, type = 'text', required = false, options = [] } = field;
  const { faults, initial } = form;
  const id = `field-${index}`;
  const fault = faults.get(name);
  const value = initial[name] ?? '';
  const autocomplete = field.autocomplete ?? (/^(email|tel|url)$/.test(type) ? type : nothing);
  const onInput = ({ target }: Event): void => {
    const input = target as HTMLInputElement;
    form.answer(name, type === 'checkbox' ? input.checked : input.value);
    // An invalid answer is checked again while the visitor corrects it.
    if (!faults.has(name)) return;
    const now = checkField(field, form.answers[name], input.validity.badInput).fault;
    if (now) faults.set(name, now);
    else faults.delete(name);
    requestRender();
  };
  const title = html`<label for=${id} dir="auto"
    >${label} ${required ? nothing : html`<small>(${texts.optional})</small>`}</label
  >`;
  const describedBy = fault ? `${id}-fault` : nothing;
  const invalid = fault ? 'true' : nothing;
  const input =
    type === 'select'
      ? html`<select
          id=${id}
          name=${name}
          ?required=${required}
          aria-invalid=${invalid}
          aria-describedby=${describedBy}
          autocomplete=${autocomplete}
          @input=${onInput}
        >
          <option value=""></option>
          ${options.map((option) => html`<option value=${option} ?selected=${option === value}>${option}</option>`)}
        </select>`
      : type === 'textarea'
        ? html`<textarea
            id=${id}
            name=${name}
            rows="3"
            dir="auto"
            maxlength=${limits.variables.valueCharacters}
            ?required=${required}
            aria-invalid=${invalid}
            aria-describedby=${describedBy}
            autocomplete=${autocomplete}
            .value=${value}
            @input=${onInput}
          ></textarea>`
        : html`<input
            id=${id}
            name=${name}
            type=${type}
            step="any"
            dir=${/^(text|checkbox)$/.test(type) ? 'auto' : 'ltr'}
            maxlength=${limits.variables.valueCharacters}
            ?required=${required}
            aria-invalid=${invalid}
            aria-describedby=${describedBy}
            autocomplete=${autocomplete}
            .value=${type === 'checkbox' ? 'on' : value}
            .checked=${value === true}
            @input=${onInput}
          />`;
  return html`<div class="question ${type}">
    ${type === 'checkbox' ? html`${input} ${title}` : html`${title} ${input}`}
    ${fault ? html`<p class="fault" id="${id}-fault">${texts[fault]}</p>` : nothing}
  </div>`;
}

/** A question that a visitor answers before the conversation begins; the answer becomes the variable of that name. */
export interface FormField {
  /** The variable's name. */
  readonly name: string;
  readonly label: string;
  /** Default: `text`. */
  readonly type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'textarea' | 'select' | 'checkbox';
  readonly required?: boolean;
  /** What a `select` offers. */
  readonly options?: readonly string[];
  /** As in HTML, such as `given-name`: browsers then fill the field in. */
  readonly autocomplete?: string;
}

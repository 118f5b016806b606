/** A field of the form before the conversation; its value becomes the variable of that name. */
export interface FormField {
  /** The variable's name. */
  readonly name: string;
  readonly label: string;
  /** Default: `text`. */
  readonly type?:
    'text' | 'email' | 'tel' | 'url' | 'number' | 'textarea' | 'select' | 'checkbox' | undefined;
  readonly required?: boolean | undefined;
  /** The options of a `select`. */
  readonly options?: readonly string[] | undefined;
  /** The HTML attribute of that name, such as `given-name`, for autofill. */
  readonly autocomplete?: string | undefined;
}

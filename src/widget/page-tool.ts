/** One argument of a page's tool. */
export interface PageToolParameter {
  readonly name: string;
  readonly type: 'string' | 'number' | 'bool';
  readonly description: string;
  readonly required?: boolean | undefined;
  /** Shown to the visitor instead of the name; at most 64 characters. Default: the name in words. */
  readonly title?: string | undefined;
}

/** A function of the page that the assistant may call by name. */
export interface PageTool {
  /** 2 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Describes to the assistant what the function does and when to call it; at most 255 characters. */
  readonly description: string;
  readonly parameters?: readonly PageToolParameter[] | undefined;
  /** Shown to the visitor instead of the name; at most 64 characters. Default: the name in words, as in `Add to cart`. */
  readonly title?: string | undefined;
  /** Whether it may run without consent, because it only reads, or is harmless and easily undone. */
  readonly safe?: boolean | undefined;
  /**
   * Runs the function. The assistant gets the returned value as JSON, or null if it has none, or the message of the
   * thrown error.
   */
  readonly run: (args: Readonly<Record<string, unknown>>) => unknown;
}

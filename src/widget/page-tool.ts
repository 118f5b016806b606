/** One argument of a page's tool. */
export interface PageToolParameter {
  readonly name: string;
  readonly type: 'string' | 'number' | 'bool';
  readonly description: string;
  readonly required?: boolean;
  /** What the visitor reads in place of the name; at most 64 characters. Default: the name in words. */
  readonly title?: string;
}

/** Something that the page can do, and that the assistant may ask for by name. */
export interface PageTool {
  /** 2 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tells the assistant what it does and when to ask for it; at most 255 characters. */
  readonly description: string;
  readonly parameters?: readonly PageToolParameter[];
  /** What the visitor reads in place of the name; at most 64 characters. Default: the name in words, as in `Add to cart`. */
  readonly title?: string;
  /** Whether it may run without asking the visitor: it only reads, or what it does is harmless and easily undone. */
  readonly safe?: boolean;
  /** Does it. What it gives, or the message of what it throws, goes back to the assistant as JSON. */
  readonly run: (args: Readonly<Record<string, unknown>>) => unknown;
}

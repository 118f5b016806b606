import type { UserInput } from '../support/browser/user-input.ts';

export type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** What the driver needs of a browser's page; one implementation for each way to reach a browser. */
export interface DriverPage {
  readonly input: UserInput;
  readonly errors: readonly string[];
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Calls the function whose text is given, in the page, and awaits it. */
  run(source: string, args: readonly Json[]): Promise<unknown>;
  screenshot(path: string): Promise<void>;
  close(): Promise<void>;
}

import type { UserInput } from '../support/browser/user-input.ts';

export type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** A browser page as the driver needs it; implemented with Playwright and with WebDriver. */
export interface DriverPage {
  readonly input: UserInput;
  readonly errors: readonly string[];
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Calls a function, given as source text, in the page and awaits its result. */
  run(source: string, args: readonly Json[]): Promise<unknown>;
  screenshot(path: string): Promise<void>;
  close(): Promise<void>;
}

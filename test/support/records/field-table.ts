import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerAnswer } from './owner.ts';

/** A field, values that are taken, values that are refused, and what else the body needs. */
export type FieldRow = [field: string, inside: unknown[], outside: unknown[], more?: Record<string, unknown>];

const strange = ['x', [], {}];

/** A number from `low` to `high`, also as text; `step` beyond either is refused. */
export const range = (field: string, low: number, high: number, step: number, more = {}): FieldRow => [
  field,
  [low, high, String(low)],
  [low - step, high + step, ...strange],
  more,
];

export const whole = (field: string, low: number, high: number): FieldRow => [
  field,
  [low, high, String(high)],
  [low - 1, high + 1, low + 0.5, ...strange],
];

/** A boolean, or what our answers and queries write for one. */
export const flag = (field: string): FieldRow => [field, [true, false, 1, 0, '1', '0'], [2, 'yes', [], {}]];

/** Text of at most so many characters, an emoji counting once. */
export const textOf = (field: string, max: number, required = false): FieldRow => [
  field,
  ['x', '😀'.repeat(max)],
  ['x'.repeat(max + 1), 5, [], ...(required ? ['', ' ', null] : [])],
];

export const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** An object of so many keys. */
export const numbered = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, index]));

/** Tests each row: what is inside is taken with `success`, what is outside refused for that field alone. */
export function testFields(
  rows: readonly FieldRow[],
  success: number,
  send: (fields: Record<string, unknown>) => Promise<OwnerAnswer>,
): void {
  for (const [field, inside, outside, more = {}] of rows) {
    const when = 'mode' in more ? ` in mode ${String(more['mode'])}` : '';
    test(`${field} takes what is within its rules and refuses what is not${when}`, async () => {
      for (const value of inside) {
        const { status, text } = await send({ ...more, [field]: value });
        assert.equal(status, success, `${short(value)}: ${text}`);
      }
      for (const value of outside) {
        const { status, errors } = await send({ ...more, [field]: value });
        assert.equal(status, 422, short(value));
        const failing = Object.keys(errors);
        assert.ok(
          failing.length > 0 && failing.every((name) => name === field || name.startsWith(`${field}.`)),
          `${short(value)}: ${JSON.stringify(errors)}`,
        );
      }
    });
  }
}

const short = (value: unknown) => (value === undefined ? 'undefined' : JSON.stringify(value)).slice(0, 80);

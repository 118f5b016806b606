import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerAnswer } from './owner.ts';

/** A field, valid values, invalid values, and other fields that the request needs. */
export type FieldRow = [field: string, valid: unknown[], invalid: unknown[], more?: Record<string, unknown>];

const notNumbers = ['x', [], {}];

/** A number from `low` to `high`, also as a string; `step` below or above is invalid. */
export const range = (field: string, low: number, high: number, step: number, more = {}): FieldRow => [
  field,
  [low, high, String(low)],
  [low - step, high + step, ...notNumbers],
  more,
];

export const whole = (field: string, low: number, high: number): FieldRow => [
  field,
  [low, high, String(high)],
  [low - 1, high + 1, low + 0.5, ...notNumbers],
];

/** A boolean, also as a number or a string of one digit. */
export const flag = (field: string): FieldRow => [field, [true, false, 1, 0, '1', '0'], [2, 'yes', [], {}]];

/** A string of at most `max` characters; an emoji counts as one. */
export const textOf = (field: string, max: number, required = false): FieldRow => [
  field,
  ['x', '😀'.repeat(max)],
  ['x'.repeat(max + 1), 5, [], ...(required ? ['', ' ', null] : [])],
];

export const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** An object with `count` keys. */
export const numbered = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, index]));

/** Tests each row: valid values return the status `success`, invalid values 422 with errors of that field only. */
export function testFields(
  rows: readonly FieldRow[],
  success: number,
  send: (fields: Record<string, unknown>) => Promise<OwnerAnswer>,
): void {
  for (const [field, valid, invalid, more = {}] of rows) {
    const when = 'mode' in more ? ` in mode ${String(more['mode'])}` : '';
    test(`accepts valid values of ${field} and refuses invalid ones${when}`, async () => {
      for (const value of valid) {
        const { status, text } = await send({ ...more, [field]: value });
        assert.equal(status, success, `${short(value)}: ${text}`);
      }
      for (const value of invalid) {
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

/**
 * Runs tasks one after another, and continues with the next task if one fails.
 *
 * @throws AggregateError with the errors of the failed tasks.
 */
export async function runAll(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} of ${tasks.length} tasks failed.`);
}

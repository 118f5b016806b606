/**
 * Whether a failed request may succeed later although nobody corrects anything, for example once a server has loaded its
 * model.
 *
 * @param status of the response; undefined if there was none in time.
 * @param code of the error in it.
 */
export const isTemporary = (status: number | undefined, code?: unknown): boolean =>
  status === undefined ||
  status >= 500 ||
  ([408, 409, 429].includes(status) && code !== 'insufficient_quota');

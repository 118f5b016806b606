/**
 * Whether a key belongs to an input method. Safari ends a composition before the keydown of the key that confirms or
 * cancels it, and only key code 229 shows that.
 */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- the only sign in Safari
export function isComposing({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229;
}

const rightToLeft = /^(ar|fa|he|iw|prs|ur)\b/i;

/** Returns the direction in which a language is written, for its tag. */
export const textDirection = (tag: string): 'ltr' | 'rtl' => (rightToLeft.test(tag) ? 'rtl' : 'ltr');

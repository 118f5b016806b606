/**
 * Maximum number of bytes from a page or visitor in a prompt, besides messages. Fenced values come first: later ones
 * are empty. They must not push the owner's text out.
 */
export const maxVisitorDataBytes = 16 * 1024;

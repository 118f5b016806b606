/** Limits of what goes along with a message about tools of the page. Apart, because only who has tools loads them. */
export const toolLimits = {
  /** Tools that a page may offer with one message, and parameters of each. */
  tools: { count: 16, parameters: 16 },
  /** Characters of the name of a tool or a parameter: letters, digits, `_` and `-`; a parameter's may be a single one. */
  toolName: { min: 2, max: 64 },
  /** Characters of the description of a tool or a parameter. */
  toolDescription: { max: 255 },
  /** Results that may go with one message, and characters of each as JSON. */
  toolResults: { count: 16, characters: 4000 },
} as const;

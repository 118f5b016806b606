/** What an error says, as an owner reads it. */
export const asSentence = (message: string): string =>
  `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;

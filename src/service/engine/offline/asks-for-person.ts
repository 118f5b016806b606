/** Longest request for a person, in words. Longer messages are about something else. */
const wordLimit = 12;

const requests: Record<string, RegExp[]> = {
  en: [
    /\b(talk|speak|chat|connect|transfer|put)\b.*\b(to|with|through)\b.*\b(human|person|someone|somebody|agent|representative|employee|colleague)\b/,
    /^((a|an|real|live|human) )*(human|person|agent|representative|operator)( please)?$/,
  ],
  de: [
    /(?=.*(sprechen|reden|chatten|schreiben|verbinden|weiterleiten))(^|.* )(mit|an) (\S+ ){0,2}(menschen?|person|mitarbeiter(in)?|berater(in)?|kolleg(en|in)|jemand(em|en)?)( |$)/,
    /^((ein|einen|einem|echter|echten) )*(mensch(en)?|mitarbeiter(in)?)( bitte)?$/,
  ],
  ar: [/(تحدث|أتكلم|اتكلم|الكلام|تواصل).*(شخص|موظف|إنسان|انسان|ممثل)/],
};

/** Whether a visitor asks to talk to a person, in `language` or English. */
export function asksForPerson(message: string, language: string): boolean {
  const words = message.toLowerCase().match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
  if (words.length === 0 || words.length > wordLimit) return false;
  const normalized = words.join(' ');
  return [requests[language], requests['en']].some((known) =>
    known?.some((request) => request.test(normalized)),
  );
}

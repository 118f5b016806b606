/*
 * Detects a customer's request not to be called again. Many countries require callers to respect it by law, so the
 * detection does not depend on a language model. An evaluation can find further requests (`do_not_call`, see
 * classify-call.ts).
 *
 * Each pattern matches a whole clause. So complaints ("you never call me"), negations ("I never said don't call me")
 * and restrictions ("don't call me before nine") do not match: they begin or end with other words.
 */

/** The patterns of a language, for statements and for questions such as "can you stop calling me?". */
interface Patterns {
  statements: RegExp[];
  questions: RegExp[];
}

/** Transcripts may lack punctuation, so "please" starts a clause, too. */
const clauseStart = String.raw`(?:^|[,;:] |\bplease |\bbitte )`;
const clauseEnd = String.raw`(?=$|[,;:])`;

/** Matches up to ten of the given phrases, each followed by a space. More would take quadratic time. */
const some = (...phrases: string[]) => `(?:(?:${phrases.join('|')}) ){0,10}`;

/** Matches up to ten of the given phrases, each preceded by a space. */
const someAfter = (...phrases: string[]) => `(?: (?:${phrases.join('|')})){0,10}`;

function english(): Patterns {
  const start =
    clauseStart +
    some(
      ...[
        'and',
        'but',
        'so',
        'then',
        'please',
        'just',
        'now',
        'ok',
        'okay',
        'no',
        'yes',
        'oh',
        'hey',
        'well',
      ],
      ...['look', 'listen', 'thanks', 'thank you', 'kindly', 'really', 'seriously', 'sir', "ma'am", 'madam'],
      ...['i (?:said|repeat)', "i(?:'m| am) (?:telling|asking|begging) you", 'i (?:tell|told|beg) you'],
    );
  const polite = some('please', 'just', 'kindly', 'finally');
  const call = '(?:ever )?(?:call|phone|ring|telephone|contact|bother|disturb)';
  const calling = '(?:calling|phoning|ringing|contacting|bothering|disturbing|harassing|pestering|annoying)';
  const number = '(?:(?:tele)?phone )?number';
  const callee = ` (?:me|us|here|(?:this|my|our) (?:${number}|home|house|office|phone|mobile|cell|wife|husband))`;
  const details = someAfter(
    ...['again', 'any ?more', 'any longer', 'ever', 'back', 'here', 'at all', 'from now on'],
    ...['in (?:the )?future', 'about (?:this|that|it|anything)', 'already', 'from you'],
    ...['please', 'okay', 'ok', 'thanks', 'thank you', 'bye', 'goodbye', 'sir', "ma'am", 'madam'],
    ...['at (?:home|work)', '(?:at|on) (?:this|that|my) (?:number|phone|line|mobile|cell)'],
    ...['all the time', 'every (?:day|week|hour|evening|morning)', 'so often', 'constantly', 'over and over'],
  );
  // Only once: its words may be details, too, and so each of several would double the time.
  const withThese = ' with (?:these|this|your|all these) [a-z ]{1,30}';
  const end = `${details}(?:${withThese}${details})?${clauseEnd}`;
  const back = ' (?:again|any ?more|any longer|back)';
  const callMe = `${call}(?:${callee}|${back})${end}`;
  const you = 'you(?: people| guys| all)?';
  const i = `(?:i|we)(?:'ve| have)?(?: already| really| just)?`;
  const mustNot = "(?:must not|mustn't|should not|shouldn't|shall not|may not|are not to|are not allowed to)";
  const told = `${i} (?:told|asked|tell|ask|beg|begged|warned|want|need|expect|would like|prefer) ${you}`;
  const orders = `(?:${told}(?: [a-z]+){0,3} to |${i} wish ${you} would |${you} (?:need to|have to|must|should|better) |${you} )?`;
  const requests = `(?:(?:can|could|would|will) ${you}|why (?:don't|can't|won't) ${you}) `;
  const wanted = "(?:want|wish|would like|'d like|need)";
  const list = '.{0,30}\\b(?:list|lists|database|system|records?|files?|directory)\\b';
  const mine = `(?:me|us|(?:my|our|this|that) (?:${number}|name|data|details))`;
  const stop = [
    `(?:stop|quit) ${calling}(?:${callee})?${end}`,
    `(?:take|remove|delete|strike|erase|get) ${mine} (?:off|from|out of) ${list}`,
    `(?:put|add|place) ${mine} (?:on|to|onto) .{0,10}do[- ]not[- ]call`,
    `(?:lose|delete|erase|forget|remove) (?:my|our|this) ${number}${end}`,
    `leave (?:me|us) alone${end}`,
  ].join('|');
  return {
    statements: [
      `${start}(?:do not|don't|dont|never) ${callMe}`,
      `${start}${you} ${mustNot} ${callMe}`,
      `${start}${orders}${polite}(?:${stop})`,
      `${start}${told}(?: [a-z]+){0,3} (?:not|never) to ${callMe}`,
      `${start}(?:i|we)(?:'d| would) (?:prefer|rather|appreciate)(?: it)?(?: if| that)? ${you} (?:do not|don't|did not|didn't|would not|wouldn't|not|never) ${callMe}`,
      `${start}${i} (?:do not|don't|dont) ${wanted} ${you} (?:to ${call}|${calling})${callee}${end}`,
      `${start}${i} (?:do not|don't|dont) ${wanted} to be (?:called|phoned|contacted|bothered)${end}`,
      `${start}${i} (?:do not|don't|dont) ${wanted} (?:to (?:get|receive|have) )?(?:(?:any|more|further|these|your|such) )+(?:phone ?)?calls${end}`,
      `${start}(?:i|we)(?: just)? ?${wanted} to be (?:removed|taken|deleted) (?:from|off) ${list}`,
      `${start}no (?:more|further) (?:phone ?)?calls${end}`,
    ].map((pattern) => new RegExp(pattern)),
    questions: [new RegExp(`${start}${requests}${polite}(?:${stop})`)],
  };
}

function german(): Patterns {
  const start =
    clauseStart +
    some(
      'und',
      'aber',
      'dann',
      'also',
      'bitte',
      'nein',
      'ja',
      'danke',
      'gut',
      'ok',
      'okay',
      'hallo',
      'jetzt',
    );
  const number = '(?:telefon|handy|mobil)?nummer';
  const manner = ['bitte', 'endlich', 'sofort', 'ab sofort', 'doch', 'einfach', 'mal', 'jetzt', 'damit'];
  const callee = some(
    ...['mich', 'uns', 'hier', 'bei (?:mir|uns)', 'von ihnen', 'ständig', 'dauernd', 'immer'],
    ...[`(?:(?:unter|auf) )?(?:diese|dieser|meine|meiner|unsere|unserer) ${number}`],
    ...['bitte', 'endlich', 'ab sofort', 'doch', 'einfach', 'in zukunft', 'künftig'],
  );
  const again = '(?:mehr|wieder|jemals|noch ?mal|nochmals|noch einmal|weiter|weiterhin)';
  const never = `(?:nicht|nie|niemals|auf keinen fall)(?: ${again})* (?:von ihnen )?`;
  const neverAgain = '(?:nicht mehr|nie wieder|nie mehr|niemals wieder) ';
  const you = '(?:sie|ihr|du)';
  const could = `(?:können|könnten|würden|könnt|könntet|würdet|kannst|könntest|würdest) ${you} `;
  const want = '(?:ich|wir) (?:möchten?|will|wollen|wünschen?)';
  const calls = '(?:werbe|telefon)?anrufe';
  const mine = `(?:mich|uns|(?:meine|unsere|diese) (?:${number}|daten)|meinen namen)`;
  const list =
    '(?:aus|von) (?:der|dem|den|ihrer|ihrem|ihren|eurer|eurem) (?:[a-zäöü]*(?:listen?|verteilern?)|datenbank|kartei|system)';
  const strike = '(?:streichen|nehmen|löschen|entfernen|austragen)';
  const blockList = '(?:auf|in) (?:ihre|die|eine) (?:sperr|robinson)liste';
  return {
    statements: [
      `${start}(?:rufen sie|ruft ihr|ruft|rufe?) ${callee}${never}an${clauseEnd}`,
      `${start}${callee}${never}anrufen${clauseEnd}`,
      `${start}${you} (?:sollen|sollt|sollst|dürfen|dürft|darfst) ${callee}${never}anrufen${clauseEnd}`,
      `${start}${you} (?:brauchen|braucht|brauchst) ${callee}${neverAgain}(?:an(?:zu)?rufen)${clauseEnd}`,
      `${start}(?:${want}|ich (?:verlange|erwarte|bitte sie|habe (?:(?!nie|nicht|kein)[a-zäöü]+ ){0,4}(?:gesagt|gebeten|verlangt))),? dass ${you} ${callee}${never}anrufen(?: sollen| sollt| sollst)?${clauseEnd}`,
      `${start}${want} nicht,? dass ${you} ${callee}(?:${again} )*anruf`,
      `${start}${want} ${callee}${never}(?:angerufen|kontaktiert|belästigt|gestört) werden`,
      `${start}${want} ${callee}keine (?:weiteren |solchen )?${calls}(?! (?:[a-zäöü]+ ){0,5}(?:verpass|versäum))`,
      `${start}keine (?:weiteren )?${calls}(?: mehr)?(?: bitte| danke)*${clauseEnd}`,
      `${start}(?:ich|wir) (?:bitten?|fordern?|habe [a-zäöü ]{0,20}gebeten)(?: sie)?(?: auf)?,? ${callee}${never}anzurufen`,
      `${start}(?:ich|wir) (?:verbieten?|untersagen?)(?: es)? ihnen,? ${callee}(?:${again} )*anzurufen`,
      `${start}(?:hören sie|hört|hör)${someAfter(...manner)} auf,? (?:damit,? )?${callee}(?:anzurufen|zu belästigen|zu stören)`,
      `${start}(?:${you} (?:sollen|sollt|müssen|müsst)|${want},? dass ${you})${someAfter(...manner)} aufhören,? ${callee}anzurufen`,
      `${start}unterlassen sie (?:bitte )?(?:diese|die|ihre|weitere|solche) ${calls}`,
      `${start}(?:streichen|nehmen|löschen|entfernen|tragen) sie ${some(...manner)}${mine} ${some(...manner)}${list}`,
      `${start}löschen sie ${some(...manner)}(?:meine|unsere|diese) ${number}${clauseEnd}`,
      `${clauseStart}bitte (?:meine|unsere|diese) ${number} löschen`,
      `${start}${mine} ${some(...manner)}${list} ${strike}`,
      `${start}(?:lassen sie|lasst|lass) (?:mich|uns)${someAfter(...manner)} in (?:ruhe|frieden)${clauseEnd}`,
      `${start}(?:ich|wir) widersprechen? (?:hiermit )?(?:(?:weiteren|allen|diesen|ihren) ${calls}n|der (?:[a-zäöü]+ )?(?:nutzung|verwendung|speicherung) (?:meiner|unserer) ${number})`,
      `${start}(?:setzen|nehmen|tragen) sie ${some(...manner)}${mine} ${some(...manner)}${blockList}`,
    ].map((pattern) => new RegExp(pattern)),
    questions: [
      `${start}${could}${callee}${neverAgain}anrufen`,
      `${start}${could}${some(...manner)}aufhören,? ${callee}anzurufen`,
      `${start}${could}${some(...manner)}${mine} ${some(...manner)}${list} ${strike}`,
      `${start}${could}${some(...manner)}${mine} ${some(...manner)}${blockList} (?:setzen|nehmen)`,
      `${start}${could}${some(...manner)}(?:meine|unsere|diese) ${number} löschen`,
      `${start}${could}(?:mich|uns)${someAfter(...manner)} in (?:ruhe|frieden) lassen`,
    ].map((pattern) => new RegExp(pattern)),
  };
}

const arabic: Patterns = {
  statements: [/^(?!.*(?:لماذا|ليش|هل )).*لا تتصل(?:وا|ي)? (?:بي|بنا)/],
  questions: [],
};

const languages = [english(), german(), arabic];
const statements = languages.flatMap((language) => language.statements);
const questions = languages.flatMap((language) => language.questions);

/** Whether the customer asked during a call not to be called again. */
export const requestsOptOut = (messages: readonly { role: string; content: string }[]): boolean =>
  messages.some(({ role, content }) => role === 'user' && sentencesOf(content).some(isRequest));

const sentencesOf = (speech: string): string[] => speech.match(/[^.!?؟\n]+[.!?؟]*/g) ?? [];

function isRequest(text: string): boolean {
  const sentence = normalize(text);
  if (questions.some((pattern) => pattern.test(sentence))) return true;
  // In "Never call me again, okay?", only the last clause is a question.
  const statement = /[?؟]\s*$/.test(text) ? sentence.replace(/(?:^|,)[^,]*$/, '') : sentence;
  return statements.some((pattern) => pattern.test(statement));
}

/** Converts to lower case, with single spaces, straight apostrophes, and commas instead of "and" and "but". */
const normalize = (sentence: string) =>
  sentence
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    .replace(/["“”„»«.!?؟]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?:[-–—]|and|but|und|aber) /g, ', ')
    .replace(/ ?[,;:] ?/g, ', ')
    .trim();

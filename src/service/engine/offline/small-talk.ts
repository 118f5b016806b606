const kinds = ['greeting', 'thanks', 'agreement', 'goodbye', 'identity'] as const;

type SmallTalk = (typeof kinds)[number];

/** Longest small talk, in words. "Hello, when do you open?" is a question. */
const wordLimit = 8;

const phrases: Record<string, Record<SmallTalk, RegExp>> = {
  en: {
    greeting:
      /^((hi|hello|hey|hiya|howdy|greetings|good (morning|afternoon|evening|day))( (there|all|everyone|kim))?( |$))?((i have|i've got|i've) (a|another|some|a few)( quick)? questions?( for you)?|(can|could|may) i ask( (you )?(a( quick)? question|something))?)?$/,
    thanks:
      /^(ok(ay)? |great |perfect |super |wonderful )*(thanks|thank you|thx|cheers)( (a lot|so much|very much|you|for your help|for the help|again))*$/,
    agreement:
      /^((ok(ay)?|great|perfect|super|wonderful|nice|cool|good|fine|all right|alright|got it|i see)( |$))+$/,
    goodbye:
      /^(ok(ay)? |thanks |thank you )*(bye|goodbye|good bye|see you|see ya|ciao|good night|have a (nice|good) day)( bye| then| later| soon)*$/,
    identity:
      /^((hi|hello|hey) )?(who are you|what are you|what's your name|what is your name|do you have a name|what can you do|what can i ask( you)?|(how|what) can you help( me)?( with)?|help( me)?|are you (a |an )?(bot|robot|human|person|real|ai|machine|chatbot|real person|computer)|am i (talking|speaking|chatting) (to|with) (a |an )?(bot|robot|human|person|real person|machine))$/,
  },
  de: {
    greeting:
      /^((hi|hallo|hey|moin|servus|grüezi|grüß gott|grüss gott|guten (tag|morgen|abend))( (zusammen|kim))?( |$))?(ich (habe|hab|hätte) (da )?(mal )?(noch )?((eine|ein paar) )?(kurze )?fragen?|(darf|kann) ich (sie |dich )?(mal )?etwas fragen)?$/,
    thanks:
      /^(ok(ay)? |super |prima |toll |gut |perfekt )*(danke|vielen dank|dankeschön|danke schön|merci)( (sehr|schön|dir|ihnen|für die hilfe|für ihre hilfe))*$/,
    agreement: /^((ok(ay)?|super|prima|toll|gut|perfekt|alles klar|verstehe|verstanden|in ordnung)( |$))+$/,
    goodbye:
      /^(ok(ay)? |danke )*(tschüss|tschüß|tschau|ciao|auf wiedersehen|bis (bald|dann|später)|schönen (tag|abend)( noch)?|ade)$/,
    identity:
      /^(wer (bist du|sind sie)|wie (heißt du|heißen sie)|wie ist (dein|ihr) name|was (kannst du|können sie)|(wobei|womit|wie) (kannst du|können sie) (mir )?helfen|hilfe|(bist du|sind sie) (ein |eine )?(bot|roboter|mensch|maschine|ki|chatbot|computer|echter mensch|echt))$/,
  },
  ar: {
    greeting:
      /^((مرحبا|مرحبًا|اهلا|أهلا|أهلًا|هلا|السلام عليكم|سلام|صباح الخير|مساء الخير)( (وسهلا|بك|بكم|ورحمة الله|ورحمة الله وبركاته))?( |$))?((لدي|عندي) (سؤال|استفسار|أسئلة))?$/,
    thanks: /^(شكرا|شكرًا|شكراً|مشكور)( (جزيلا|جزيلًا|جزيلاً|لك|لكم|كثيرا))*$/,
    agreement: /^((حسنا|حسنًا|تمام|ممتاز|طيب|جيد|مفهوم)( |$))+$/,
    goodbye: /^(وداعا|وداعًا|مع السلامة|إلى اللقاء|الى اللقاء)$/,
    identity: /^(من أنت|من انت|ما اسمك|هل أنت (إنسان|روبوت|شخص|آلة)|هل انت (انسان|روبوت|شخص))$/,
  },
};

/**
 * Recognizes a message that is only a greeting (also “I have a question”), thanks, an "OK", a goodbye or a question about
 * the assistant, in `language` or English.
 */
export function findSmallTalk(message: string, language: string): SmallTalk | undefined {
  // Phones write typographic apostrophes.
  const words =
    message
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
  if (words.length === 0 || words.length > wordLimit) return undefined;
  const normalized = words.join(' ');
  const candidates = [phrases[language], phrases.en];
  return kinds.find((kind) => candidates.some((known) => known?.[kind].test(normalized)));
}

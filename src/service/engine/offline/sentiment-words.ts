/** Words that indicate sentiment. They match whole words in any letter case. */
interface SentimentWords {
  positive: RegExp;
  negative: RegExp;
  yes: RegExp;
  no: RegExp;
}

/** `\b` only knows ASCII letters. */
const words = (list: string) => new RegExp(`(?<![\\p{L}\\p{M}])(${list})(?![\\p{L}\\p{M}])`, 'giu');

const byLanguage: Readonly<Record<string, SentimentWords>> = {
  en: {
    positive: words(
      'thanks|thank you|thx|great|perfect|excellent|wonderful|awesome|good|nice|helpful|happy|love|lovely|glad|brilliant',
    ),
    negative: words(
      'bad|terrible|awful|horrible|angry|annoyed|annoying|useless|disappointed|disappointing|frustrated|frustrating|' +
        'worst|unacceptable|ridiculous|complain|complaint|hate|unhappy|not (good|happy|helpful)|never again',
    ),
    yes: words('yes|yeah|yep|sure|of course|certainly|correct|right|okay|ok'),
    no: words('no|nope|never|not'),
  },
  de: {
    positive: words(
      'danke|vielen dank|dankeschön|super|prima|perfekt|toll|großartig|wunderbar|gut|schön|hilfreich|freut|freue',
    ),
    negative: words(
      'schlecht|schlimm|furchtbar|schrecklich|ärgerlich|verärgert|wütend|nutzlos|enttäuscht|enttäuschend|frustriert|' +
        'unverschämt|beschwerde|beschweren|unzufrieden|nicht (gut|zufrieden|hilfreich)|nie wieder',
    ),
    yes: words('ja|jawohl|klar|gerne|gern|natürlich|sicher|richtig|stimmt|okay|ok'),
    no: words('nein|nö|nie|nicht|kein|keine|keinen'),
  },
  ar: {
    positive: words('شكرا|شكرًا|شكراً|ممتاز|رائع|جيد|جميل|مفيد|سعيد|سعيدة'),
    negative: words('سيئ|سيء|فظيع|غاضب|غاضبة|محبط|محبطة|شكوى|أشتكي|للأسف'),
    yes: words('نعم|أجل|بالتأكيد|طبعا|طبعًا|صحيح|حسنا|حسنًا'),
    no: words('لا|كلا|أبدا|أبدًا|ليس'),
  },
};

/** Returns the words of a language, by its two-letter code; English if there are none. */
export function sentimentWordsFor(language: string): SentimentWords {
  return byLanguage[language] ?? (byLanguage['en'] as SentimentWords);
}

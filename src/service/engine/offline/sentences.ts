/** What the offline engine says in its own words. */
export interface Sentences {
  greeting: string;
  thanks: string;
  goodbye: string;
  identity: string;
  nothingFound: string;
}

const english: Sentences = {
  greeting: 'Hello! What would you like to know?',
  thanks: "You're welcome! Is there anything else you would like to know?",
  goodbye: 'Goodbye, and thank you for stopping by!',
  identity: 'I am an automated assistant, not a person. I answer questions from my knowledge base.',
  nothingFound:
    "I'm sorry, I found nothing about that in my knowledge base. Could you put your question in other words? " +
    'No language model is configured here, so I can only pass on what is written there.',
};

const german: Sentences = {
  greeting: 'Hallo! Was möchten Sie wissen?',
  thanks: 'Sehr gerne! Möchten Sie noch etwas wissen?',
  goodbye: 'Auf Wiedersehen und vielen Dank für Ihren Besuch!',
  identity:
    'Ich bin ein automatischer Assistent, kein Mensch. Ich beantworte Fragen aus meiner Wissensdatenbank.',
  nothingFound:
    'Dazu habe ich in meiner Wissensdatenbank leider nichts gefunden. Können Sie Ihre Frage anders formulieren? ' +
    'Hier ist kein Sprachmodell eingerichtet, daher kann ich nur weitergeben, was dort steht.',
};

const arabic: Sentences = {
  greeting: 'مرحبًا! ماذا تود أن تعرف؟',
  thanks: 'على الرحب والسعة! هل تود معرفة شيء آخر؟',
  goodbye: 'إلى اللقاء، وشكرًا لزيارتك!',
  identity: 'أنا مساعد آلي ولست إنسانًا. أجيب عن الأسئلة من قاعدة المعرفة الخاصة بي.',
  nothingFound:
    'عذرًا، لم أجد شيئًا عن ذلك في قاعدة المعرفة الخاصة بي. هل يمكنك صياغة سؤالك بطريقة أخرى؟ ' +
    'لا يوجد نموذج لغوي مُعدّ هنا، لذلك لا أستطيع إلا نقل ما هو مكتوب فيها.',
};

const byLanguage: Record<string, Sentences> = { en: english, de: german, ar: arabic };

/** The sentences in a language given by its two-letter code; English where there are none. */
export function sentencesFor(language: string): Sentences {
  return byLanguage[language] ?? english;
}

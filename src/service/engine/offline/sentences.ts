/** The offline engine's own sentences. */
export interface Sentences {
  greeting: string;
  thanks: string;
  agreement: string;
  goodbye: string;
  identity: string;
  nothingFound: string;
  /** Chats only: follows `nothingFound`. */
  noModel: string;
  /** Follows a passage; `{source}` is its document and heading. */
  source: string;
  /** Calls only: asked when the customer is silent. */
  stillThere: string;
  /** A page tool was requested; `{name}` is its name. */
  asked: string;
  /** Values for a page tool are missing; `{parameters}` lists them. */
  incomplete: string;
  /** A page tool ran. */
  ran: string;
  /** A tool that the service ran. */
  called: string;
  /** Follows `ran` or `called` if there was a result. */
  returned: string;
  /** Like `incomplete`, for a tool that the service runs. */
  callIncomplete: string;
  /** The conversation is handed over to a person. */
  handedOver: string;
}

const english: Sentences = {
  greeting: 'Hello! What would you like to know?',
  thanks: "You're welcome! Is there anything else you would like to know?",
  agreement: 'All right. Is there anything else you would like to know?',
  goodbye: 'Goodbye, and thank you for stopping by!',
  identity: 'I am an automated assistant, not a person. I answer questions from my knowledge base.',
  nothingFound:
    "I'm sorry, I found nothing about that in my knowledge base. Could you put your question in other words?",
  noModel: 'No language model is configured here, so I can only pass on what is written there.',
  source: 'Source: {source}',
  stillThere: 'Are you still there?',
  asked: 'I have asked this page to run “{name}”. I will receive the result with your next message.',
  incomplete:
    'To have this page run “{name}” I need: {parameters}. Please write words in quotation marks and numbers in digits.',
  ran: 'The page has run “{name}”.',
  called: 'I have called “{name}”.',
  returned: 'It returned: {result}',
  callIncomplete:
    'To call “{name}” I need: {parameters}. Please write words in quotation marks and numbers in digits.',
  handedOver: 'I am handing you over to a person. Please stay here for a moment.',
};

const german: Sentences = {
  greeting: 'Hallo! Was möchten Sie wissen?',
  thanks: 'Sehr gerne! Möchten Sie noch etwas wissen?',
  agreement: 'Alles klar. Möchten Sie noch etwas wissen?',
  goodbye: 'Auf Wiedersehen und vielen Dank für Ihren Besuch!',
  identity:
    'Ich bin ein automatischer Assistent, kein Mensch. Ich beantworte Fragen aus meiner Wissensdatenbank.',
  nothingFound:
    'Dazu habe ich in meiner Wissensdatenbank leider nichts gefunden. Können Sie Ihre Frage anders formulieren?',
  noModel: 'Hier ist kein Sprachmodell eingerichtet, daher kann ich nur weitergeben, was dort steht.',
  source: 'Quelle: {source}',
  stillThere: 'Sind Sie noch da?',
  asked:
    'Ich habe diese Seite gebeten, „{name}“ auszuführen. Was daraus wurde, erfahre ich mit Ihrer nächsten Nachricht.',
  incomplete:
    'Damit diese Seite „{name}“ ausführen kann, brauche ich: {parameters}. Bitte schreiben Sie Wörter in ' +
    'Anführungszeichen und Zahlen in Ziffern.',
  ran: 'Die Seite hat „{name}“ ausgeführt.',
  called: 'Ich habe „{name}“ aufgerufen.',
  returned: 'Das Ergebnis: {result}',
  callIncomplete:
    'Um „{name}“ aufzurufen, brauche ich: {parameters}. Bitte schreiben Sie Wörter in Anführungszeichen und Zahlen ' +
    'in Ziffern.',
  handedOver: 'Ich übergebe Sie an einen Menschen. Bitte bleiben Sie einen Moment hier.',
};

const arabic: Sentences = {
  greeting: 'مرحبًا! ماذا تود أن تعرف؟',
  thanks: 'على الرحب والسعة! هل تود معرفة شيء آخر؟',
  agreement: 'حسنًا. هل تود معرفة شيء آخر؟',
  goodbye: 'إلى اللقاء، وشكرًا لزيارتك!',
  identity: 'أنا مساعد آلي ولست إنسانًا. أجيب عن الأسئلة من قاعدة المعرفة الخاصة بي.',
  nothingFound: 'عذرًا، لم أجد شيئًا عن ذلك في قاعدة المعرفة الخاصة بي. هل يمكنك صياغة سؤالك بطريقة أخرى؟',
  noModel: 'لا يوجد نموذج لغوي مُعدّ هنا، لذلك لا أستطيع إلا نقل ما هو مكتوب فيها.',
  source: 'المصدر: {source}',
  stillThere: 'هل ما زلت معي؟',
  asked: 'طلبت من هذه الصفحة تشغيل «{name}». سأعرف النتيجة مع رسالتك التالية.',
  incomplete:
    'لتشغيل «{name}» في هذه الصفحة أحتاج إلى: {parameters}. يُرجى كتابة الكلمات بين علامتي اقتباس والأعداد بالأرقام.',
  ran: 'شغّلت الصفحة «{name}».',
  called: 'استدعيت «{name}».',
  returned: 'النتيجة: {result}',
  callIncomplete:
    'لاستدعاء «{name}» أحتاج إلى: {parameters}. يُرجى كتابة الكلمات بين علامتي اقتباس والأعداد بالأرقام.',
  handedOver: 'سأحوّلك الآن إلى أحد الموظفين. يُرجى الانتظار لحظة هنا.',
};

const byLanguage: Record<string, Sentences> = { en: english, de: german, ar: arabic };

/** Returns the sentences of a language, by its two-letter code; English if there are none. */
export function sentencesFor(language: string): Sentences {
  return byLanguage[language] ?? english;
}

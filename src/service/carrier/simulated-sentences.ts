/** The sentences of simulated customers and answering machines. */
export interface CustomerSentences {
  pickUp: string;
  greeting: string;
  /** The greeting of a customer who calls. */
  callerGreeting: string;
  questions: readonly [string, string, string];
  goodbye: string;
  optOut: string;
  machine: string;
}

const english: CustomerSentences = {
  pickUp: 'Hello?',
  greeting: 'Hello, yes, I have a moment.',
  callerGreeting: 'Hello, I have a question.',
  questions: ['What is this about?', 'What are your opening hours?', 'How much does it cost?'],
  goodbye: 'Thank you, goodbye!',
  optOut: 'Please do not call me again. Goodbye.',
  machine: 'Nobody can take your call right now. Please leave a message after the tone.',
};

const german: CustomerSentences = {
  pickUp: 'Hallo?',
  greeting: 'Guten Tag, ja, ich habe einen Moment Zeit.',
  callerGreeting: 'Guten Tag, ich habe eine Frage.',
  questions: ['Worum geht es denn?', 'Wann haben Sie geöffnet?', 'Was kostet das?'],
  goodbye: 'Vielen Dank, auf Wiederhören!',
  optOut: 'Bitte rufen Sie mich nicht mehr an. Auf Wiederhören.',
  machine:
    'Im Moment kann niemand Ihren Anruf entgegennehmen. Bitte hinterlassen Sie eine Nachricht nach dem Ton.',
};

const arabic: CustomerSentences = {
  pickUp: 'ألو؟',
  greeting: 'مرحبًا، نعم، لدي لحظة.',
  callerGreeting: 'مرحبًا، لدي سؤال.',
  questions: ['ما الموضوع؟', 'ما هي ساعات العمل؟', 'كم يكلف ذلك؟'],
  goodbye: 'شكرًا لك، مع السلامة!',
  optOut: 'من فضلك لا تتصل بي مرة أخرى. مع السلامة.',
  machine: 'لا يمكن لأحد الرد على مكالمتك الآن. يُرجى ترك رسالة بعد الصفارة.',
};

const byLanguage: Record<string, CustomerSentences> = { en: english, de: german, ar: arabic };

/** Returns the sentences in a language (two-letter code); in English by default. */
export const customerSentences = (language: string): CustomerSentences => byLanguage[language] ?? english;

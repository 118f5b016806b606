/** Texts for the builder of an assistant. Separate from the others, so that visitors do not load them. */
export const inspectorTexts = {
  en: {
    variables: 'Variables',
    none: 'None',
    functionCalls: 'Function calls',
    arguments: 'Arguments',
    result: 'Result',
    timings: 'Timings',
    openedIn: 'Opened in {total} ms',
    answeredIn: 'First words after {first} ms, complete after {total} ms',
    running: 'Running…',
  },
  de: {
    variables: 'Variablen',
    none: 'Keine',
    functionCalls: 'Funktionsaufrufe',
    arguments: 'Argumente',
    result: 'Ergebnis',
    timings: 'Zeiten',
    openedIn: 'Eröffnet in {total} ms',
    answeredIn: 'Erste Wörter nach {first} ms, vollständig nach {total} ms',
    running: 'Läuft …',
  },
  ar: {
    variables: 'المتغيرات',
    none: 'لا يوجد',
    functionCalls: 'استدعاءات الدوال',
    arguments: 'المعاملات',
    result: 'النتيجة',
    timings: 'الأزمنة',
    openedIn: 'فُتحت خلال {total} م.ث',
    answeredIn: 'أول الكلمات بعد {first} م.ث، واكتمل بعد {total} م.ث',
    running: 'قيد التنفيذ…',
  },
} as const;

export type InspectorTexts = { readonly [key in keyof typeof inspectorTexts.en]: string };

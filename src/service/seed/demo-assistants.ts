/** The feature that a seeded assistant demonstrates. */
export type DemoFeature = 'greeting' | 'no-greeting' | 'settings' | 'german' | 'arabic' | 'no-balance';

/** An assistant of the demo. */
export interface DemoAssistant {
  /** Fixed, so that pages and snippets can refer to it. */
  uuid: string;
  name: string;
  shows: DemoFeature;
  /** Two-letter code (ISO 639-1). */
  language: 'en' | 'de' | 'ar';
  /** At most 200 characters; empty for none. */
  initialMessage: string;
  systemPrompt: string;
  variables: Record<string, string>;
  widgetSettings: { theme: string; color: string; position: string };
  /** Whether it ends the conversation when the visitor says goodbye (the built-in tool `end_call`). */
  endsOnGoodbye?: boolean;
  /** Whether the owner can pay for conversations. */
  ownerHasBalance: boolean;
}

const englishPrompt =
  'You are Kim, the assistant of Nordkamm, a shop for outdoor and hiking gear in Freiburg with a web shop. Be warm, ' +
  'brief and concrete. Answer from the knowledge base; if it does not say, say so and offer the contact by phone or ' +
  "e-mail. The visitor's name, if known: {{first_name}}.";

const germanPrompt =
  'Du bist Kim, die Beratung von Nordkamm, einem Laden für Outdoor- und Wanderausrüstung in Freiburg mit Webshop. ' +
  'Antworte freundlich, knapp und konkret und sieze die Kundschaft. Antworte aus der Wissensdatenbank; steht dort ' +
  'nichts, sage das und nenne den Kontakt per Telefon oder E-Mail.';

const arabicPrompt =
  'أنت مساعد نوردكام، متجر معدات المشي والأنشطة الخارجية في فرايبورغ. أجب بلطف وإيجاز ووضوح اعتمادًا على قاعدة ' +
  'المعرفة. إذا لم تجد الجواب فيها فقل ذلك، واذكر طريقة التواصل بالهاتف أو البريد الإلكتروني.';

/** The assistants that the demo is seeded with. */
export const demoAssistants: readonly DemoAssistant[] = [
  {
    uuid: '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e01',
    name: 'Nordkamm assistant',
    shows: 'greeting',
    language: 'en',
    initialMessage:
      "Hi {{first_name}}! I'm Kim from Nordkamm. Ask me about our gear, delivery, returns, repairs or opening hours.",
    systemPrompt: englishPrompt,
    variables: { first_name: 'there' },
    widgetSettings: { theme: 'auto', color: '#1f5c4a', position: 'right-bottom' },
    ownerHasBalance: true,
  },
  {
    uuid: '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e02',
    name: 'Nordkamm order desk',
    shows: 'no-greeting',
    language: 'en',
    initialMessage: '',
    systemPrompt: englishPrompt,
    variables: { first_name: '' },
    widgetSettings: { theme: 'light', color: '#1f5c4a', position: 'right-bottom' },
    ownerHasBalance: true,
  },
  {
    uuid: '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e03',
    name: 'Nordkamm night desk',
    shows: 'settings',
    language: 'en',
    initialMessage: 'Still up? So am I. What can I look up for you?',
    systemPrompt: englishPrompt,
    variables: { first_name: '' },
    widgetSettings: { theme: 'dark', color: '#f2d9a6', position: 'left-top' },
    endsOnGoodbye: true,
    ownerHasBalance: true,
  },
  {
    uuid: '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e04',
    name: 'Nordkamm Beratung',
    shows: 'german',
    language: 'de',
    initialMessage:
      'Guten Tag! Ich bin Kim von Nordkamm. Fragen Sie mich nach Ausrüstung, Lieferung, Rückgabe, Reparaturen oder Öffnungszeiten.',
    systemPrompt: germanPrompt,
    variables: {},
    widgetSettings: { theme: 'light', color: '#1f5c4a', position: 'right-bottom' },
    ownerHasBalance: true,
  },
  {
    uuid: '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e05',
    name: 'مساعد نوردكام',
    shows: 'arabic',
    language: 'ar',
    initialMessage:
      'مرحبًا! أنا مساعد نوردكام. اسألني عن المعدات أو التوصيل أو الإرجاع أو الإصلاح أو ساعات العمل.',
    systemPrompt: arabicPrompt,
    variables: {},
    widgetSettings: { theme: 'light', color: '#c8842b', position: 'left-bottom' },
    ownerHasBalance: true,
  },
  {
    uuid: '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e06',
    name: 'Nordkamm trial',
    shows: 'no-balance',
    language: 'en',
    initialMessage: 'Hello! This is the trial of the Nordkamm assistant.',
    systemPrompt: englishPrompt,
    variables: { first_name: '' },
    widgetSettings: { theme: 'light', color: '#1f5c4a', position: 'right-bottom' },
    ownerHasBalance: false,
  },
];

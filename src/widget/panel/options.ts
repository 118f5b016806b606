import type { PanelInput } from '../element/panel-input.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';

/** What the site, the assistant and the page say, resolved into what the panel goes by. */
export interface ChatOptions {
  readonly assistantId: string | null;
  readonly idProblem: PanelInput['idProblem'];
  readonly baseUrl: string;
  readonly type: 'widget' | 'test';
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** What the page wants the assistant to know, beside the variables. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly persist: 'local' | 'session' | 'none';
  /** Separates people who share a computer. */
  readonly userKey?: string | null;
  /** Milliseconds after which an untouched conversation is dropped. */
  readonly keepFor?: number | undefined;
  readonly isInline: boolean;
  /** Languages by preference: the site's, the assistant's, the page's, the browser's. */
  readonly languages: readonly string[];
  /** The site's own texts, as it wrote them. */
  readonly ownTexts: object | undefined;
  /** What the visitor may say with one click, as the site wrote it. */
  readonly suggestions: unknown;
  /** Set when the site fixed the direction; else it follows the language. */
  readonly direction: string | null;
  readonly heading: string | null;
  readonly subheading: string | null;
  readonly placeholder: string | null;
  readonly greeting: string | null;
  /** Origins that images may come from, separated by white space. */
  readonly allowImages: string | null;
  readonly showsFunctionCalls: boolean;
  /** Whether the site may want something done before the conversation. */
  readonly hasGate: boolean;
  /** What the service says of the assistant, as it says it. */
  readonly settings: PanelInput['settings'];
}

export function resolveOptions(
  element: VoiceAssistantChat,
  { baseUrl, idProblem, settings }: PanelInput,
): ChatOptions {
  const { name, language } = settings;
  const days = Number(element.keepDays);
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  return {
    assistantId: element.assistantId?.trim() || null,
    idProblem,
    baseUrl,
    type: element.type,
    variables: element.variables,
    context: element.context,
    persist: element.persist,
    userKey: element.userKey,
    keepFor: days > 0 ? days * 24 * 3_600_000 : undefined,
    isInline: element.inline,
    languages: [element.lang, language, languageAround(element), navigator.language].filter(isText),
    ownTexts: element.messages,
    suggestions: element.suggestions,
    direction: element.getAttribute('dir'),
    heading: element.heading ?? (isText(name) ? name : null),
    subheading: element.subheading,
    placeholder: element.placeholder,
    greeting: element.greeting,
    allowImages: element.allowImages,
    showsFunctionCalls: element.showFunctionCalls,
    settings,
    hasGate: !!(element.form?.length || element.querySelector('[slot=consent]')),
  };
}

/** The language that the page declares around the element, also from within other shadow roots. */
function languageAround(element: Element): string {
  const parent = element.parentElement ?? element.getRootNode();
  if (parent instanceof Element) {
    const declaring = parent.closest('[lang]');
    if (declaring !== null) return declaring.getAttribute('lang') ?? '';
  }
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAround(root.host) : document.documentElement.lang;
}

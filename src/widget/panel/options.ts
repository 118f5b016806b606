import { toJson } from '../../client/to-json.ts';
import { limits } from '../../contract/limits.ts';
import type { SessionRequest } from '../conversation/history/request-conversation.ts';
import type { PanelInput } from '../element/panel-input.ts';
import type { Locale } from '../texts/texts.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import { warnOnce } from '../warn-once.ts';

/**
 * The panel's options, resolved from the site's attributes, the assistant's settings and the page. A new object after each
 * change of an attribute or property. Features read the others from the element.
 */
export interface ChatOptions {
  readonly assistantId: string | null;
  readonly setupProblem: PanelInput['setupProblem'];
  readonly baseUrl: string;
  readonly type: 'widget' | 'test';
  readonly persist: 'local' | 'session' | 'none';
  /** Identifies the person, so that people who share a browser have separate conversations. */
  readonly userKey?: string | null;
  /** Proves who uses the chat. */
  readonly userToken?: string | null;
  /** Milliseconds until an unused stored conversation expires. */
  readonly keepFor?: number | undefined;
  readonly isInline: boolean;
  /** Languages by preference: the site's, the assistant's, the page's, the browser's. */
  readonly languages: readonly string[];
  /** The site's own texts, unchecked. */
  readonly ownTexts: object | undefined;
  /** The direction that the site has set; otherwise it follows the language. */
  readonly direction: string | null;
  readonly heading: string | null;
  /** Whether the site may ask for consent or a form before the conversation. */
  readonly hasGate: boolean;
  /** The assistant's public settings, unchecked. */
  readonly settings: PanelInput['settings'];
}

/** The maximum length of an assistant's name, in characters. */
const nameLength = 255;

/** The title of the panel: the site's heading, else the assistant's name, else “Chat”. */
export function headingOf({ heading }: ChatOptions, { texts }: Locale): string {
  return heading ?? texts.chat;
}

export function resolveOptions(
  element: VoiceAssistantChat,
  { baseUrl, setupProblem, settings }: PanelInput,
): ChatOptions {
  const { name, language } = settings;
  const days = Number(element.keepDays);
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  return {
    assistantId: element.assistantId?.trim() || null,
    setupProblem,
    baseUrl,
    type: element.type,
    persist: element.persist,
    userKey: element.userKey,
    userToken: element.userToken,
    keepFor: days > 0 ? days * 24 * 3_600_000 : undefined,
    isInline: element.inline,
    languages: [element.lang, language, languageAround(element), navigator.language].filter(isText),
    ownTexts: element.messages,
    direction: element.getAttribute('dir'),
    heading: element.heading ?? (isText(name) ? name.slice(0, nameLength) : null),
    settings,
    hasGate: !!(element.form?.length || element.querySelector('[slot=consent]')),
  };
}

/**
 * The page's data for the assistant, as it is now: a page may change it and send in the same task, before the options
 * follow. A context without the JSON of an object is left out: one with a cycle, or a text from an attribute. Values
 * that are too long are cut: the service would refuse every message, and visitors cannot change them.
 */
export function pageDataOf({
  variables,
  context,
}: VoiceAssistantChat): Pick<SessionRequest, 'variables' | 'context'> {
  try {
    if (context && !toJson(context).startsWith('{')) throw new Error('use an object');
  } catch (error) {
    warnOnce(`context: ${String(error)}`);
    context = undefined;
  }
  return {
    variables: withShortValues('variables', variables),
    context: withShortValues('context', context),
  };
}

function withShortValues(name: string, values: object | undefined): SessionRequest['variables'] {
  const max = limits.variables.valueCharacters;
  return (
    values &&
    Object.fromEntries(
      Object.entries(values).map(([key, value]: [string, unknown]) => {
        const text = typeof value === 'string' ? value : (toJson(value) as string | undefined);
        const cut = Array.from(text ?? '')
          .slice(0, max)
          .join('');
        if (!text || cut === text) return [key, value];
        warnOnce(`${name}.${key} is cut: it has more than ${max} characters.`);
        return [key, cut];
      }),
    )
  );
}

/** The language that the page declares around the element, also around the shadow roots that contain it. */
function languageAround(element: Element): string {
  const declaring = element.parentElement?.closest('[lang]');
  if (declaring) return declaring.getAttribute('lang') ?? '';
  const { host } = element.getRootNode() as Partial<ShadowRoot>;
  return host ? (host.getAttribute('lang') ?? languageAround(host)) : '';
}

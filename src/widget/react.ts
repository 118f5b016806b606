import {
  createElement,
  forwardRef,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  type CSSProperties,
  type ForwardRefExoticComponent,
  type ReactNode,
  type RefAttributes,
} from 'react';
import { defineElement } from './define-element.ts';
import type { ChatEventMap, VoiceAssistantChat } from './define.ts';
import { attributes, jsonOf, objects, propertyName } from './element/attributes.ts';

export type { ChatEventMap, FormField, PageTool, Position, Texts } from './define.ts';

type PascalCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${PascalCase<Rest>}`
  : Capitalize<Name>;

type Method = 'show' | 'hide' | 'toggle' | 'send' | 'restart' | 'forget';
type Callback = 'connectedCallback' | 'disconnectedCallback' | 'attributeChangedCallback';

/** The element's properties that a page can set. */
type Settable = Omit<VoiceAssistantChat, keyof HTMLElement | Method | Callback>;

/** The element's properties, a listener for each event (`onChatMessage` for `chat-message`), and common attributes. */
export type VoiceAssistantChatProps = {
  readonly [Name in keyof Settable]?: Settable[Name] | null | undefined;
} & {
  readonly [Name in keyof ChatEventMap as `on${PascalCase<Name>}`]?:
    ((event: ChatEventMap[Name]) => void) | undefined;
} & {
  readonly id?: string | undefined;
  readonly className?: string | undefined;
  readonly style?: CSSProperties | undefined;
  readonly lang?: string | undefined;
  readonly dir?: 'ltr' | 'rtl' | undefined;
  readonly hidden?: boolean | undefined;
  /** Content of the element's slots. */
  readonly children?: ReactNode;
};

const events: readonly (keyof ChatEventMap)[] = [
  'chat-open',
  'chat-close',
  'chat-ready',
  'chat-send',
  'chat-sent',
  'chat-message',
  'chat-rating',
  'chat-tool',
  'chat-error',
];

/** `chat-open` to `onChatOpen`. */
const propOf = (event: string): string =>
  `on${event.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

/** The value of an attribute; undefined for none. The server and the browser render the same. */
function attributeValue(value: object | string | number | boolean | null | undefined): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return '';
  return typeof value === 'object' ? jsonOf(value) : value.toString();
}

/** In the task that inserts or hydrates the element. On a server, React 18 warns of a layout effect. */
const useCommitEffect = 'document' in globalThis ? useLayoutEffect : useEffect;

/**
 * `<voice-assistant-chat>` as a React component. React renders the attributes, on a server, too. Objects and listeners
 * do not survive hydration as attributes do, so an effect sets them on the element. Only then is the element defined: a
 * chat with `open` or `inline` opens its conversation at once.
 */
const Component: ForwardRefExoticComponent<VoiceAssistantChatProps & RefAttributes<VoiceAssistantChat>> =
  forwardRef<VoiceAssistantChat, VoiceAssistantChatProps>(function VoiceAssistantChat(props, ref) {
    const values = props as Readonly<Record<string, unknown>>;
    const element = useRef<VoiceAssistantChat>(null);
    const latest = useRef<typeof values>({});
    useCommitEffect(() => {
      const chat = element.current as unknown as Record<string, unknown>;
      // Objects that did not change stay as they are: the page may have set them through the ref.
      for (const name of objects)
        if (values[name] !== latest.current[name]) chat[name] = values[name] ?? undefined;
      latest.current = values;
    });

    useCommitEffect(() => {
      const listening = new AbortController();
      for (const event of events) {
        const listener = (dispatched: Event): void => {
          (latest.current[propOf(event)] as ((event: Event) => void) | undefined)?.(dispatched);
        };
        element.current?.addEventListener(event, listener, { signal: listening.signal });
      }
      defineElement();
      return () => {
        listening.abort();
      };
    }, []);

    // After the element is defined, so that a callback ref can call its methods.
    useImperativeHandle(ref, () => element.current as VoiceAssistantChat, []);

    const rendered: Record<string, unknown> = { ref: element };
    // Booleans as text, as on native elements.
    for (const name in values) if (/^(data|aria)-/.test(name)) rendered[name] = values[name]?.toString();
    for (const name of attributes) {
      const value = attributeValue(values[propertyName(name)] as Parameters<typeof attributeValue>[0]);
      if (value !== undefined) rendered[name] = value;
    }
    const { id, className, style, lang, dir, hidden, children } = props;
    // React 18 sets `className` on custom elements as an attribute of that name.
    return createElement(
      'voice-assistant-chat',
      { ...rendered, id, class: className, style, lang, dir, hidden: hidden || undefined },
      children,
    );
  });

export { Component as VoiceAssistantChat, type VoiceAssistantChat as VoiceAssistantChatElement };

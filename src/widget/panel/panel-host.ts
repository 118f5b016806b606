import type { ChatEventMap } from '../events.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';

/** The element that contains the panel. */
export interface PanelHost {
  readonly element: VoiceAssistantChat;
  readonly shadowRoot: ShadowRoot;
  /** The element in the shadow root that has theme and language; it contains launcher and panel. */
  readonly root: HTMLElement;
  readonly launcher: HTMLButtonElement;
  /** Dispatches an event on the element. Returns false if a listener prevented its default. */
  readonly dispatch: <Name extends keyof ChatEventMap>(
    name: Name,
    detail?: ChatEventMap[Name]['detail'],
  ) => boolean;
}

export function createPanelHost(element: VoiceAssistantChat): PanelHost {
  const shadowRoot = element.shadowRoot as ShadowRoot;
  const root = shadowRoot.firstElementChild as HTMLElement;
  return {
    element,
    shadowRoot,
    root,
    launcher: root.firstElementChild as HTMLButtonElement,
    dispatch: (name, detail) =>
      element.dispatchEvent(
        new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: name === 'chat-send' }),
      ),
  };
}

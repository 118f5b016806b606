import { html, nothing } from 'lit/html.js';
import type { AddOn } from '../add-on.ts';
import { button } from '../header.ts';
import { icon } from '../icons.ts';
import type { Locale } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import type { Call } from './call.ts';
import { requestMicrophone } from './request-microphone.ts';

/** Milliseconds after which a call in another tab that does not report counts as over. */
const otherCallTimeout = 5000;

/** Milliseconds between two readings of what is said in a call of another tab. */
const readingPause = 2000;

const callIcon = icon(
  'M6.5 4h3l1.5 4-2 1.5a11 11 0 0 0 5.5 5.5l1.5-2 4 1.5v3a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 6a2 2 0 0 1 2-2z',
);

/** The button that starts a call, and the call in progress. */
export interface CallOffer extends AddOn {
  /** Whether calls are likely to work, so that there is no need for dictation. */
  readonly isPossible: boolean;
}

/** Offers calls. Only the button is here: the rest loads with the click. */
export function offerCall(panel: PanelContext): CallOffer {
  const { modules, host, container } = panel;
  let call: Call | undefined;
  let isLoading = false;
  let otherCall: ((locale: Locale) => unknown) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tabs: BroadcastChannel | undefined;
  let nextReading = 0;
  const showOther = (view?: typeof otherCall): void => {
    otherCall = view;
    panel.draw();
  };
  const readMessages = async (): Promise<void> => {
    nextReading = Date.now() + readingPause;
    const { session, environment } = panel.conversation;
    const { followUpdates } = await environment.loadSending();
    // Aborted, so it reads once.
    const once = { isExpected: true, isDue: true, signal: AbortSignal.abort() };
    await followUpdates(session, once).catch(() => undefined);
  };
  const over = (): void => {
    showOther();
    readMessages().catch(() => undefined);
  };
  const watchTabs = (): void => {
    if (tabs) return;
    tabs = new BroadcastChannel('voice-assistant-chat:call');
    tabs.onmessage = ({ data: [id, isOnCall] }: MessageEvent<[id: string, isOnCall: boolean]>) => {
      if (id !== panel.conversation.snapshot.conversationId) return;
      clearTimeout(timer);
      if (!isOnCall) {
        over();
        return;
      }
      timer = setTimeout(over, otherCallTimeout);
      if (!document.hidden && Date.now() > nextReading) readMessages().catch(() => undefined);
      if (!otherCall)
        void modules.load('call').then((part) => {
          showOther(part?.showOtherCall(panel));
        });
    };
  };
  let isPossible = 'RTCPeerConnection' in globalThis && 'mediaDevices' in navigator;

  const report = (id: string, isOnCall: boolean): void => {
    tabs?.postMessage([id, isOnCall]);
  };
  const start = (): void => {
    if (isLoading) return;
    call?.end();
    isLoading = true;
    // Both belong to the click: some browsers allow a page to play sound only if it began during one.
    const audio = new Audio();
    audio.autoplay = true;
    audio.play().catch(() => undefined);
    const microphone = requestMicrophone();
    microphone.catch(() => undefined);
    void modules.load('call').then((part) => {
      isLoading = false;
      const started = part?.startCall(
        panel,
        { audio, microphone, requestMicrophone, report, readMessages },
        () => {
          if (call === started) call = undefined;
        },
      );
      call = started;
      if (!part)
        void microphone.then((stream) => {
          for (const track of stream.getTracks()) track.stop();
        });
      panel.draw();
    });
  };
  const hide = (): void => {
    call?.end();
  };
  // Escape would close the chat, and end the call by accident. It interrupts the assistant instead.
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !call || call.isOver) return;
    event.stopPropagation();
    call.interrupt();
  };
  for (const target of [container, host.launcher]) target.addEventListener('keydown', onKey);

  return {
    get isPossible() {
      isPossible &&= !call?.isRefused;
      return isPossible;
    },
    follow: () => call?.follow(),
    inHeader: () => {
      const { locale, isClosed } = panel;
      if (!locale || isClosed) return undefined;
      if (otherCall) return otherCall(locale);
      const canStart = !call || call.isOver;
      return html`${canStart ? button('call', locale.texts.call, callIcon, start) : nothing}
      ${modules.isMissing('call') ? html`<p part="call" role="alert">${locale.texts.network}</p>` : call?.view(locale)}`;
    },
    update: watchTabs,
    hide,
    stop: () => {
      hide();
      tabs?.close();
      tabs = undefined;
      clearTimeout(timer);
      otherCall = undefined;
    },
  };
}

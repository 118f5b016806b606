import { html, nothing } from 'lit/html.js';
import type { AddOn } from '../add-on.ts';
import { button } from '../header.ts';
import { icon } from '../icons.ts';
import type { PanelContext } from '../panel-context.ts';
import type { CallReport, Calls } from './calls.ts';
import { requestMicrophone } from './request-microphone.ts';

const callIcon = icon(
  'M6.5 4h3l1.5 4-2 1.5a11 11 0 0 0 5.5 5.5l1.5-2 4 1.5v3a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 6a2 2 0 0 1 2-2z',
);

/** The buttons that start a call, and the calls of the panel. */
export interface CallOffer extends AddOn {
  /** Whether calls are likely to work, so that there is no need for dictation. */
  readonly isPossible: boolean;
}

/** Offers calls. Only the buttons are here: the rest loads with the click, or with a call in another tab. */
export function offerCall(panel: PanelContext): CallOffer {
  let calls: Calls | undefined;
  let tabs: BroadcastChannel | undefined;
  /** Aborts when the latest call ends. */
  let controller: AbortController | undefined;
  /** Whether the last attempt to load calls failed. */
  let isMissing = false;
  let isPossible = 'RTCPeerConnection' in globalThis && 'mediaDevices' in navigator;

  const load = async (): Promise<Calls | undefined> => {
    const loaded = await panel.modules.load('voice');
    isMissing = !loaded;
    calls ??= loaded?.createCalls(panel, (report) => tabs?.postMessage(report));
    panel.requestRender();
    return calls;
  };
  const start = (): void => {
    // A second click, while the call loads or is in progress.
    if (controller?.signal.aborted === false) return;
    const current = (controller = new AbortController());
    // During the click, since some browsers let a page play audio only if playback started then.
    const audio = new Audio();
    audio.autoplay = true;
    audio.play().catch(() => undefined);
    const microphone = requestMicrophone(current.signal);
    microphone.catch(() => undefined);
    void load().then((loaded) => {
      if (loaded) loaded.start({ controller: current, audio, microphone, requestMicrophone });
      else current.abort('over');
    });
  };
  const end = (): void => {
    controller?.abort('over');
    calls?.dismiss();
  };

  return {
    get isPossible() {
      isPossible &&= controller?.signal.reason !== 'unavailable';
      return isPossible;
    },
    conversationChanged: () => calls?.conversationChanged(),
    inHeader: () => {
      const { locale, isGateClosed: isClosed } = panel;
      if (!locale) return undefined;
      // A call that began before the gate was closed can still be ended.
      return html`${isClosed || calls?.isBusy ? nothing : button('call', locale.texts.call, callIcon, start)}
      ${isMissing ? html`<p part="call" role="alert">${locale.texts.network}</p>` : calls?.view(locale)}`;
    },
    aboveComposer: () => {
      const { locale, isGateClosed } = panel;
      const { aiEnabled, messages, status } = panel.conversation.snapshot;
      // Beside the greeting, visitors choose whether to write or to talk. Later, the button in the header is enough.
      const isUndecided = status === 'ready' && aiEnabled && !messages.some(({ role }) => role === 'user');
      if (!locale || isGateClosed || !isUndecided || calls?.isBusy) return undefined;
      return html`<button type="button" part="call-offer" @click=${start}>
        ${callIcon} ${locale.texts.call}
      </button>`;
    },
    update: () => {
      if (tabs) return;
      try {
        tabs = new BroadcastChannel('voice-assistant-chat:call');
      } catch {
        // Firefox refuses it if it blocks cookies. Then other tabs do not show the call.
        return;
      }
      tabs.onmessage = ({ data }: MessageEvent<CallReport>) => {
        if (data[0] === panel.conversation.snapshot.conversationId)
          void load().then((loaded) => loaded?.receive(data));
      };
    },
    hide: () => {
      const continues = controller?.signal.aborted === false && calls?.isBusy;
      if (!continues) end();
      return continues;
    },
    stop: () => {
      end();
      tabs?.close();
      tabs = undefined;
    },
  };
}

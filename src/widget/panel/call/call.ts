import { ChatError } from '../../../client/errors.ts';
import { readVoiceOptions, requestCall, requestCallEnd } from '../../../client/voice-call.ts';
import type { VoiceOptions } from '../../../contract/voice-endpoints.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { ChatEventMap } from '../../events.ts';
import { callTexts, loadCallTexts, type CallTexts } from '../../texts/call-texts.ts';
import { fill, type Locale } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { measureLevel } from '../voice/measure-level.ts';
import { callBar, type CallState } from './call-bar.ts';
import callCss from './call.css?inline';
import {
  CallError,
  connectionProblem,
  endProblem,
  microphoneProblem,
  type CallProblem,
} from './call-problem.ts';
import { Devices } from './devices.ts';
import { openLine, type Line } from './line.ts';
import { LiveTranscript, type CallEvent } from './live-transcript.ts';

export { callCss as css };

/** What the click on the button has begun, and functions of the button's module. */
export interface CallOpening {
  /** Unlocked: may play sound. */
  readonly audio: HTMLAudioElement;
  readonly microphone: Promise<MediaStream>;
  /** Reports to other tabs whether there is a call; call it each second. */
  readonly report: (conversationId: string, isOnCall: boolean) => void;
  /** Reads the messages that the service has stored. Rejects if a part of the chat cannot be loaded. */
  readonly readMessages: () => Promise<void>;
  readonly requestMicrophone: (deviceId?: string) => Promise<MediaStream>;
}

/** Milliseconds for which a lost line is connected again, and between two attempts. */
const reconnecting = { limit: 10_000, pause: 1000 };

/**
 * Starts a call in the panel's conversation.
 *
 * @param onOver called when nothing of the call is shown any more
 */
export function startCall(panel: PanelContext, opening: CallOpening, onOver: () => void): Call {
  return new Call(panel, opening, onOver);
}

/** Shows that there is a call in another tab. Returns a view of it. */
export function showOtherCall(panel: PanelContext): (locale: Locale) => unknown {
  let all: CallTexts = callTexts;
  void loadCallTexts(panel.locale?.language).then((texts) => {
    all = texts;
    panel.draw();
  });
  return ({ texts }) => callBar({ texts: { ...texts, ...all }, state: 'elsewhere', label: all.otherTab });
}

/** A call, from the click until its bar disappears. */
export class Call {
  readonly #panel: PanelContext;
  readonly #conversation: Conversation;
  readonly #session: Conversation['session'];
  readonly #opening: CallOpening;
  readonly #onOver: () => void;
  readonly #transcript: LiveTranscript;
  /** Aborts when the call ends. */
  readonly #life = new AbortController();
  #state: CallState = 'connecting';
  #problem: CallProblem | undefined;
  /** When the line was opened, milliseconds since 1970. */
  #startedAt: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #texts: CallTexts = callTexts;
  #stream: MediaStream | undefined;
  #devices: Devices | undefined;
  #endLevel: (() => void) | undefined;
  #isMuted = false;
  #showsDevices = false;
  #notice = '';
  #recordingNotice = '';
  /** To be announced when the assistant has finished speaking. */
  #announcement = '';
  #onOpened: (() => void) | undefined;
  #iceServers: RTCIceServer[] = [];
  #line: Line | undefined;
  /** Connects the call again if the line was lost. */
  #token: string | undefined;
  /** Whether the service may have the call. */
  #isKnown = false;

  constructor(panel: PanelContext, opening: CallOpening, onOver: () => void) {
    this.#panel = panel;
    this.#opening = opening;
    this.#onOver = onOver;
    this.#conversation = panel.conversation;
    this.#session = this.#conversation.session;
    this.#transcript = new LiveTranscript(this.#conversation);
    const { signal } = this.#life;
    addEventListener('pagehide', this.end, { signal });
    // The window's listeners run last: until then, the page can prevent the event.
    addEventListener('chat-send', this.#onSend, { signal });
    this.#announce(panel.locale?.texts.connecting);
    void this.#start();
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Whether the service offers no calls now. */
  get isRefused(): boolean {
    return this.#problem === 'unavailable';
  }

  /** Call when the conversation has changed. */
  follow(): void {
    const { conversationId, problem } = this.#session.snapshot;
    if (this.#panel.conversation.session !== this.#session) this.end();
    else if (conversationId ?? problem) this.#onOpened?.();
  }

  /** Hangs up, and removes the bar. */
  readonly end = (): void => {
    const hadFocus = this.#hasFocus;
    this.#finish();
    this.#onOver();
    this.#draw(hadFocus);
  };

  /** Ends what the assistant is saying. */
  interrupt(): void {
    if (this.#state !== 'speaking') return;
    this.#line?.send({ type: 'response.cancel' });
    this.#line?.send({ type: 'output_audio_buffer.clear' });
  }

  view({ texts }: Locale): unknown {
    const all = { ...texts, ...this.#texts };
    const labels = {
      connecting: all.connecting,
      listening: this.#isMuted ? all.muted : all.listening,
      thinking: all.thinking,
      speaking: all.speaking,
      lost: all.reconnecting,
      over: all[this.#problem ?? 'over'],
      elsewhere: all.otherTab,
    };
    return callBar({
      texts: all,
      state: this.#state,
      label: labels[this.#state],
      seconds: this.#startedAt && Math.floor((Date.now() - this.#startedAt) / 1000),
      isMuted: this.#isMuted,
      notice: `${this.#recordingNotice} ${this.#notice}`.trim(),
      devices: this.#showsDevices ? this.#devices : undefined,
      actions: {
        mute: () => {
          this.#isMuted = !this.#isMuted;
          this.#applyMute();
          this.#announce(this.#isMuted ? all.muted : all.microphoneOn);
        },
        toggleDevices: () => {
          this.#showsDevices = !this.#showsDevices;
          this.#draw();
        },
        end: this.end,
      },
    });
  }

  async #start(): Promise<void> {
    const { microphone, audio, requestMicrophone } = this.#opening;
    const { signal } = this.#life;
    this.#draw(this.#hasFocus);
    try {
      const [, , { ice_servers, is_recorded }] = await Promise.all([
        loadCallTexts(this.#panel.locale?.language).then((texts) => {
          this.#texts = texts;
          this.#draw();
        }),
        microphone.then(
          (stream) => {
            this.#devices = new Devices({
              audio,
              requestMicrophone,
              onStream: this.#useStream,
              onNone: () => {
                this.#note(this.#texts.noDevice);
              },
              onChange: () => {
                this.#draw();
              },
              signal,
            });
            this.#devices.use(stream);
          },
          async (error: unknown) => {
            throw new CallError(await microphoneProblem(error as Error));
          },
        ),
        this.#readOptions(),
      ]);
      this.#iceServers = ice_servers as unknown as RTCIceServer[];
      if (is_recorded) this.#recordingNotice = this.#texts.recorded;
      this.#session.isOnCall = true;
      await this.#connect(signal);
      this.#startedAt = Date.now();
      this.#timer = setInterval(() => {
        this.#panel.draw();
        this.#opening.report(this.#id, true);
      }, 1000);
      this.#show('listening');
      this.#announce(`${this.#texts.ready} ${this.#recordingNotice}`);
    } catch (error) {
      this.#finish(connectionProblem(error) ?? (error instanceof ChatError ? 'network' : 'failed'));
    }
  }

  /** Reads the ICE servers once the conversation is open. */
  async #readOptions(): Promise<VoiceOptions> {
    void this.#conversation.open();
    await new Promise<void>((resolve) => {
      this.#onOpened = resolve;
      this.follow();
    });
    if (!this.#id) throw new CallError('network');
    return readVoiceOptions(this.#client, this.#id, { signal: this.#life.signal });
  }

  async #connect(signal: AbortSignal): Promise<void> {
    this.#line = await openLine({
      iceServers: this.#iceServers,
      stream: this.#stream as MediaStream,
      audio: this.#opening.audio,
      exchange: async (offer) => {
        this.#isKnown = true;
        const body = { sdp: offer, call: this.#token };
        const { sdp, call } = await requestCall(this.#client, this.#id, body, { signal });
        this.#token = call || undefined;
        return sdp;
      },
      onEvent: this.#onEvent,
      onLost: () => void this.#reconnect(),
      signal,
    });
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#life;
    this.#line = undefined;
    this.#show('lost');
    this.#announce(this.#texts.reconnecting);
    const timeout = AbortSignal.timeout(reconnecting.limit);
    for (;;) {
      try {
        await this.#connect(AbortSignal.any([signal, timeout]));
        this.#show('listening');
        this.#announce(this.#texts.ready);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const problem = timeout.aborted ? 'lost' : connectionProblem(error);
        if (problem) {
          this.#finish(problem);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, reconnecting.pause));
      }
    }
  }

  readonly #useStream = (stream: MediaStream, isLost: boolean): void => {
    this.#stream = stream;
    this.#applyMute();
    const [track] = stream.getAudioTracks();
    if (track) this.#line?.replaceTrack(track);
    this.#endLevel?.();
    this.#endLevel = measureLevel(stream, (level) => {
      this.#panel.container
        .querySelector<HTMLElement>('.call-ring')
        ?.style.setProperty('--_level', level.toFixed(2));
    });
    if (isLost) this.#note(fill(this.#texts.nowUsing, { name: track?.label ?? '' }));
  };

  #applyMute(): void {
    for (const track of this.#stream?.getAudioTracks() ?? []) track.enabled = !this.#isMuted;
    this.#draw();
  }

  readonly #onEvent = (received: unknown): void => {
    if (this.#life.signal.aborted) return;
    const event = { ...(received as CallEvent) };
    const { type } = event;
    const spoken = this.#transcript.apply(event);
    if (spoken) this.#panel.host.dispatch('chat-message', { text: spoken, latency: undefined });
    // The browser would play what it has received already: up to a second on a bad line.
    if (type.startsWith('output_audio')) this.#opening.audio.muted = type.endsWith('cleared');
    switch (type) {
      case 'input_audio_buffer.speech_started':
      case 'output_audio_buffer.stopped':
      case 'output_audio_buffer.cleared':
        this.#show('listening');
        break;
      case 'input_audio_buffer.speech_stopped':
      case 'response.created':
        if (this.#state === 'listening') this.#show('thinking');
        break;
      case 'output_audio_buffer.started':
        this.#show('speaking');
        break;
      case 'response.done':
        // Without a spoken answer.
        if (this.#state === 'thinking') this.#show('listening');
        break;
      case 'call.ended':
        this.#isKnown = false;
        this.#finish(endProblem(event.reason));
    }
  };

  /** Sends a typed message on the line; if that is not open, it is sent as usual. */
  readonly #onSend = (event: ChatEventMap['chat-send']): void => {
    const conversation = this.#conversation;
    if (event.defaultPrevented || event.composedPath()[0] !== this.#panel.host.element) return;
    const { text } = event.detail;
    this.interrupt();
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    if (!this.#line?.send({ type: 'conversation.item.create', item })) return;
    this.#line.send({ type: 'response.create' });
    event.preventDefault();
    if (conversation.draft === text) conversation.draft = '';
    this.#transcript.type(text);
  };

  #show(state: CallState): void {
    this.#state = state;
    if (state !== 'speaking' && this.#announcement) this.#announce(this.#announcement);
    this.#draw();
  }

  #note(notice: string): void {
    this.#notice = notice;
    this.#announce(notice);
    this.#draw();
  }

  /** Announces a text to screen readers, but not while the assistant speaks. */
  #announce(text = ''): void {
    const isSpeaking = this.#state === 'speaking';
    this.#announcement = isSpeaking ? text : '';
    if (isSpeaking || !text) return;
    const line = document.createElement('p');
    line.textContent = text;
    this.#panel.announcer.element.replaceChildren(line);
  }

  /** Ends the call. The bar shows why. */
  #finish(problem?: CallProblem): void {
    const { signal } = this.#life;
    if (signal.aborted) return;
    const hadFocus = this.#hasFocus;
    this.#life.abort();
    this.#line?.close();
    this.#line = undefined;
    this.#endLevel?.();
    clearInterval(this.#timer);
    this.#opening.report(this.#id, false);
    const { audio } = this.#opening;
    audio.pause();
    audio.srcObject = null;
    this.#problem = problem;
    this.#startedAt = undefined;
    this.#notice = this.#recordingNotice = '';
    this.#show('over');
    this.#announce({ ...this.#panel.locale?.texts, ...this.#texts }[problem ?? 'over']);
    this.#draw(hadFocus);
    void this.#settle();
  }

  /** Ends the call at the service, and replaces the live messages by those that the service has stored. */
  async #settle(): Promise<void> {
    const session = this.#session;
    const conversation = this.#conversation;
    // Lets the request outlive the page.
    const options = { keepalive: true };
    if (this.#isKnown) await requestCallEnd(this.#client, this.#id, options).catch(() => undefined);
    // Now everything is stored, so that other tabs can read it.
    this.#opening.report(this.#id, false);
    if (!session.isOnCall) return;
    session.isOnCall = false;
    await this.#opening.readMessages();
    // Texts that were lost with the line.
    const { messages } = session.snapshot;
    for (const typed of this.#transcript.typed)
      if (!messages.some(({ role, text }) => role === 'user' && text === typed.trim()))
        conversation.returnToDraft(typed, true);
    this.#draw();
  }

  get #client(): Conversation['environment']['client'] {
    return this.#conversation.environment.client;
  }

  get #id(): string {
    return this.#session.snapshot.conversationId ?? '';
  }

  get #hasFocus(): boolean {
    const { activeElement } = this.#panel.host.shadowRoot;
    return !!activeElement?.closest('[part~="call"], [part~="call-button"]');
  }

  /** @param hasFocus whether the focused button may disappear: then the focus moves to the next one */
  #draw(hasFocus = false): void {
    this.#panel.draw();
    if (!hasFocus) return;
    requestAnimationFrame(() => {
      const { container } = this.#panel;
      const next = container.querySelector<HTMLElement>('[part~="call-mute-button"], [part~="call-button"]');
      if (!this.#hasFocus) next?.focus();
    });
  }
}

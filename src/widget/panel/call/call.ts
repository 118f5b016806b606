import type { ChatError } from '../../../client/chat-error.ts';
import { readVoiceOptions, requestCall, requestCallEnd } from '../../../client/voice-call.ts';
import type { VoiceOptions } from '../../../contract/voice-endpoints.ts';
import { sleep } from '../../conversation/sending/sleep.ts';
import type { Session } from '../../conversation/session.ts';
import type { ChatEventMap } from '../../events.ts';
import { allTexts, loadCallTexts, type CallTexts } from '../../texts/call-texts.ts';
import { fill, type Locale, type Texts } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { callBar, endedCallBar, type CallState } from './call-bar.ts';
import { connectionProblem, microphoneProblem, serviceEnd, type CallEnd } from './call-problem.ts';
import type { CallReport } from './calls.ts';
import { createDevices, type RequestMicrophone } from './devices.ts';
import { openLine, type Line } from './line.ts';
import { createTranscript, textOf, type CallEvent } from './live-transcript.ts';
import { readMessages } from './read-messages.ts';
import type { MicrophoneError } from './request-microphone.ts';

/** The resources that the click on the button acquired. */
export interface CallOpening {
  /** Aborts when the call is over: the reason is the text to show, if any. Abort it to hang up. */
  readonly controller: AbortController;
  /** Unlocked: may play sound. */
  readonly audio: HTMLAudioElement;
  readonly microphone: Promise<MediaStream>;
  readonly requestMicrophone: RequestMicrophone;
}

/** What a call reports to: its panel and the other tabs. */
export interface CallHost {
  /** Reports to the other tabs. */
  readonly report: (report: CallReport) => void;
  /** The state of the call changed: renders it. */
  readonly onChange: () => void;
  /** Hangs up, and removes the bar. */
  readonly end: () => void;
}

/** A call, from the click until its bar disappears. */
export interface Call {
  /** Aborted when the call is over. */
  readonly controller: AbortController;
  readonly session: Session;
  /** Ends what the assistant is saying. Returns whether it was speaking. */
  readonly interrupt: () => boolean;
  readonly view: (texts: Texts & CallTexts) => unknown;
}

/** Milliseconds for which a lost line is connected again. */
const reconnectingTime = 10_000;
/** Milliseconds between two attempts to connect it. */
const reconnectingPause = 1000;
/** Milliseconds between two checks that the conversation is open. */
const openingPause = 50;

/**
 * Milliseconds for which the assistant is muted after an interruption, because the browser would play the audio that it has
 * received already. Not until the next answer starts: a lost packet can delay that event by three seconds.
 */
const mutedTime = 600;

export function startCall(
  panel: PanelContext,
  { controller, audio, microphone, requestMicrophone }: CallOpening,
  { report, onChange, end }: CallHost,
): Call {
  const { signal } = controller;
  const { container, host } = panel;
  const { session } = panel.conversation;
  const { client } = session.environment;
  let state: CallState = 'connecting';
  /** When the line was opened, milliseconds since 1970. */
  let startedAt: number | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let track: MediaStreamTrack;
  let isMuted = false;
  let showsDevices = false;
  /** Tells the visitor that the call is recorded, if it is. */
  let recordingNotice = '';
  let notice = '';
  let muteTimer: ReturnType<typeof setTimeout> | undefined;
  /** To be announced when the assistant listens. */
  let announcement = '';
  let iceServers: RTCIceServer[] = [];
  let line: Line | undefined;
  /** Identifies the call when it reconnects. */
  let token: string | undefined;
  /** Whether the service may have created the call; undefined before the request. */
  let isKnown: Promise<boolean> | undefined;

  const texts = (): Texts & CallTexts => allTexts(panel.locale as Locale);
  const id = (): string => session.snapshot.conversationId ?? '';
  /** Announces a text to screen readers, but not while the assistant speaks. */
  const announce = (text: string): void => {
    announcement = state === 'speaking' ? text : '';
    if (announcement) return;
    panel.announcer.element.textContent = text;
    // An answer that follows, such as a cut-off one at the end of the call, does not replace it.
    panel.announcer.isComplete = false;
  };
  const show = (next: CallState): void => {
    state = next;
    if (next === 'listening' && announcement) announce(announcement);
    onChange();
  };
  const note = (text: string): void => {
    notice = text;
    if (text) announce(text);
    onChange();
  };
  /** Ends the call. The bar shows why. */
  const close = (reason: CallEnd): void => {
    controller.abort(reason);
  };
  const interrupt = (): boolean => {
    if (state !== 'speaking') return false;
    line?.send({ type: 'response.cancel' });
    line?.send({ type: 'output_audio_buffer.clear' });
    return true;
  };

  const transcript = createTranscript(session, (change) => {
    session.apply(change);
    report([id(), true, change]);
  });
  const devices = createDevices({
    audio,
    requestMicrophone,
    signal,
    onTrack: (used, isLost) => {
      track = used;
      line?.replaceTrack(track);
      note(isLost ? fill(texts().nowUsing, { name: track.label || texts().standard }) : '');
    },
    onNone: (error) => {
      void microphoneProblem(error).then((problem) => {
        note(texts()[problem]);
      });
    },
    onLevel: (level) => {
      container.querySelector<HTMLElement>('.call-ring')?.style.setProperty('--_level', level.toFixed(2));
    },
    onChange,
  });

  const mute = (isCutOff: boolean): void => {
    clearTimeout(muteTimer);
    audio.muted = isCutOff;
    muteTimer = setTimeout(() => {
      audio.muted = false;
    }, mutedTime);
  };
  const onEvent = (event: CallEvent): void => {
    const { type } = event;
    const spoken = transcript.apply(event);
    if (spoken) host.dispatch('chat-message', { text: spoken, latency: undefined });
    if (type.startsWith('output_audio')) mute(type.endsWith('cleared'));
    switch (type) {
      case 'input_audio_buffer.speech_started':
      case 'output_audio_buffer.stopped':
      case 'output_audio_buffer.cleared':
        show('listening');
        break;
      case 'input_audio_buffer.speech_stopped':
      case 'response.created':
        if (state === 'listening') show('thinking');
        break;
      case 'output_audio_buffer.started':
        show('speaking');
        break;
      case 'response.done':
        // Without a spoken answer.
        if (state === 'thinking') show('listening');
        break;
      case 'error':
        // The service refuses typed messages in order, as soon as they arrive.
        session.conversation.returnToDraft(transcript.withdraw(), true);
        note(`${texts().notSent} ${textOf(event.error?.message)}`);
        break;
      case 'call.ended':
        isKnown = Promise.resolve(false);
        close(serviceEnd(event.reason));
    }
  };
  /** Sends a typed message on the line; if that is not open, it is sent as usual. */
  const onSend = (event: ChatEventMap['chat-send']): void => {
    if (event.defaultPrevented || event.composedPath()[0] !== host.element) return;
    const { conversation } = session;
    const { text } = event.detail;
    interrupt();
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    if (!line?.send({ type: 'conversation.item.create', item })) return;
    line.send({ type: 'response.create' });
    event.preventDefault();
    if (conversation.draft === text) conversation.draft = '';
    notice = '';
    transcript.type(text);
  };

  /** @param limit aborts an attempt that takes too long */
  const connect = async (limit?: AbortSignal): Promise<void> => {
    line = await openLine({
      iceServers,
      track,
      audio,
      exchange: async (sdp) => {
        // Not aborted by hanging up: the service may have the call, and must be able to end it.
        const request = requestCall(client, id(), { sdp, call: token }, { signal: limit });
        isKnown = request.then(
          () => true,
          // Not after a refusal: another tab may have the conversation's call.
          (error: unknown) => !(error as ChatError).status,
        );
        const started = await request;
        token = started.call || undefined;
        return started.sdp;
      },
      onEvent,
      // Rejects if the visitor hangs up meanwhile.
      onLost: () => void reconnect().catch(() => undefined),
      signal: limit ? AbortSignal.any([signal, limit]) : signal,
    });
  };
  const reconnect = async (): Promise<void> => {
    line = undefined;
    show('reconnecting');
    announce(texts().reconnecting);
    const limit = AbortSignal.timeout(reconnectingTime);
    for (;;) {
      try {
        await connect(limit);
        show('listening');
        // The assistant apologizes first.
        announcement = texts().ready;
        return;
      } catch (error) {
        const problem = limit.aborted ? 'lost' : connectionProblem(error);
        if (!/network|failed/.test(problem)) close(problem);
        await sleep(reconnectingPause, signal);
      }
    }
  };
  /** Reads the ICE servers once the conversation is open. */
  const readOptions = async (): Promise<VoiceOptions> => {
    void session.conversation.open();
    while (!id()) {
      const { problem } = session.snapshot;
      if (problem) close(connectionProblem(problem));
      await sleep(openingPause, signal);
    }
    return readVoiceOptions(client, id(), { signal });
  };
  const start = async (): Promise<void> => {
    onChange();
    try {
      const [options] = await Promise.all([
        readOptions(),
        loadCallTexts(panel.locale as Locale).then(onChange),
        microphone.then(devices.use, async (error: unknown) => {
          close(await microphoneProblem(error as MicrophoneError));
        }),
      ]);
      signal.throwIfAborted();
      iceServers = options.ice_servers as unknown as RTCIceServer[];
      if (options['is_recorded']) recordingNotice = texts().recorded;
      session.call = controller;
      await connect();
      startedAt = Date.now();
      timer = setInterval(() => {
        onChange();
        report([id(), true]);
      }, 1000);
      show('listening');
      const ready = `${texts().ready} ${recordingNotice}`;
      const { messages } = session.snapshot;
      // The assistant speaks its greeting first, unless the visitor has written before.
      if (messages[0] && messages.every(({ role }) => role === 'assistant')) announcement = ready;
      else announce(ready);
    } catch (error) {
      close(connectionProblem(error));
    }
  };
  /** Ends the call at the service, and replaces the live messages by those that the service has stored. */
  const settle = async (): Promise<void> => {
    // The request may outlive the page.
    if (await isKnown) await requestCallEnd(client, id(), { keepalive: true }).catch(() => undefined);
    // Now everything is stored, so that other tabs can read it.
    report([id(), false]);
    await readMessages(session, controller);
    // Texts that were lost with the line.
    const { messages } = session.snapshot;
    for (const typed of transcript.typed)
      if (!messages.some(({ role, text }) => role === 'user' && text === typed.trim()))
        session.conversation.returnToDraft(typed, true);
    onChange();
  };

  signal.addEventListener('abort', () => {
    line?.close();
    clearInterval(timer);
    report([id(), false]);
    audio.pause();
    audio.srcObject = null;
    show('over');
    announce(texts()[signal.reason as CallEnd]);
    void settle();
  });
  addEventListener('pagehide', end, { signal });
  // The window's listeners run last: until then, the page can prevent the event.
  addEventListener('chat-send', onSend, { signal });
  announce(texts().connecting);
  void start();

  return {
    controller,
    session,
    interrupt,
    view: (texts) =>
      signal.aborted
        ? endedCallBar(texts, texts[signal.reason as CallEnd], end)
        : callBar({
            texts,
            state,
            seconds: startedAt && Math.floor((Date.now() - startedAt) / 1000),
            isMuted,
            notice: `${recordingNotice} ${notice}`.trim(),
            choices: showsDevices ? devices.choices() : [],
            onStop: interrupt,
            onMute: () => {
              isMuted = !isMuted;
              devices.mute(isMuted);
              announce(isMuted ? texts.muted : texts.listening);
              onChange();
            },
            onDevices: () => {
              showsDevices = !showsDevices;
              onChange();
            },
            onEnd: end,
          }),
  };
}

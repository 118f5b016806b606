import { readVoiceOptions } from '../../../client/web-call.ts';
import type { Session } from '../../conversation/session.ts';
import type { ChatEventMap } from '../../events.ts';
import { allTexts, loadCallTexts, type CallTexts } from '../../texts/call-texts.ts';
import { fill, type Locale, type Texts } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { callBar, endedCallBar, type CallState } from './call-bar.ts';
import { createConnection } from './call-connection.ts';
import { connectionProblem, microphoneProblem, serviceEnd, type CallEnd } from './call-problem.ts';
import type { CallReport } from './calls.ts';
import { createDevices, type RequestMicrophone } from './devices.ts';
import { createTranscript, readText, type CallEvent } from './live-transcript.ts';
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

/** Callbacks of a call to its panel and the other tabs. */
export interface CallHost {
  /** Reports to the other tabs. */
  readonly report: (report: CallReport) => void;
  /** The state of the call changed: renders it. */
  readonly onChange: () => void;
  /** Hangs up, and removes the bar. */
  readonly dismiss: () => void;
}

/** A call, from the click until its bar disappears. */
export interface Call {
  /** Aborted when the call is over. */
  readonly controller: AbortController;
  readonly session: Session;
  /** Call when the conversation has changed. */
  readonly conversationChanged: () => void;
  /** Stops the assistant's speech. Returns whether it was speaking. */
  readonly interrupt: () => boolean;
  /** Hides the choice of devices if it has the focus. Returns whether it did. */
  readonly hideDevices: () => boolean;
  readonly view: (texts: Texts & CallTexts) => unknown;
}

/**
 * Milliseconds for which the assistant is muted after an interruption, since the browser would play audio that it has
 * already received: a busy Firefox keeps more than a second of it. Independent of the next answer: a lost packet can delay
 * the event that announces it by three seconds.
 */
const mutedTime = 1500;

export function startCall(
  panel: PanelContext,
  { controller, audio, microphone, requestMicrophone }: CallOpening,
  { report, onChange, dismiss }: CallHost,
): Call {
  const { signal } = controller;
  const { container, host } = panel;
  const { session } = panel.conversation;
  const { client } = session.environment;
  let state: CallState = 'connecting';
  /** When the connection was opened, milliseconds since 1970. */
  let startedAt: number | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let isMuted = false;
  let showsDevices = false;
  /** The text that the call is recorded; empty if it is not. */
  let recordingNotice = '';
  let notice = '';
  /** Texts to announce when the assistant listens next: nothing talks over it. */
  let deferred = '';
  /** Whether to announce then, too, whether the visitor can speak. */
  let isReadyDue = false;
  /** Whether a response of the assistant is in progress, also before it speaks. */
  let isResponding = false;
  let outputTimer: ReturnType<typeof setTimeout> | undefined;
  /** Called when the conversation is open. */
  let onOpened: (() => void) | undefined;

  /** Whole seconds since the call was connected; undefined before. */
  const seconds = (): number | undefined => startedAt && Math.floor((Date.now() - startedAt) / 1000);
  const texts = (): Texts & CallTexts => allTexts(panel.locale as Locale);
  const id = (): string => session.snapshot.conversationId ?? '';
  const announce = (text: string): void => {
    panel.announcer.element.textContent = text;
    // So that a following answer, such as a cut-off one at the end of the call, does not replace it.
    panel.announcer.isComplete = false;
  };
  const show = (next: CallState, announcesDeferred = next === 'listening'): void => {
    state = next;
    if (announcesDeferred && (isReadyDue || deferred)) {
      announce(`${deferred} ${isReadyDue ? texts()[isMuted ? 'muted' : 'ready'] : ''}`.trim());
      deferred = '';
      isReadyDue = false;
    }
    onChange();
  };
  const note = (text: string): void => {
    notice = text;
    if (state === 'speaking') deferred = `${deferred} ${text}`.trim();
    else if (text) announce(text);
    onChange();
  };
  /** Ends the call; `onEnd` does the rest. The bar shows why. */
  const end = (reason: CallEnd): void => {
    controller.abort(reason);
  };
  const interrupt = (): boolean => {
    if (state !== 'speaking') return false;
    connection.send({ type: 'response.cancel' });
    connection.send({ type: 'output_audio_buffer.clear' });
    return true;
  };

  const transcript = createTranscript(session, (change) => {
    session.apply(change);
    report([id(), true, change]);
  });
  const silenceOutput = (isSilent: boolean): void => {
    clearTimeout(outputTimer);
    audio.muted = isSilent;
    outputTimer = setTimeout(() => {
      audio.muted = false;
    }, mutedTime);
  };
  const onEvent = (event: CallEvent): void => {
    const { type } = event;
    const spoken = transcript.apply(event);
    if (spoken) host.dispatch('chat-message', { text: spoken, latency: undefined });
    if (type.startsWith('response.')) isResponding = type !== 'response.done';
    if (type.startsWith('output_audio')) {
      silenceOutput(type.endsWith('cleared'));
      show(type.endsWith('started') ? 'speaking' : 'listening');
    }
    switch (type) {
      case 'input_audio_buffer.speech_started':
        // If this interrupts the assistant, its audio is cleared.
        if (state !== 'speaking') show('listening');
        break;
      case 'input_audio_buffer.speech_stopped':
      case 'response.created':
        if (state === 'listening') show('thinking');
        break;
      case 'response.done':
      case 'conversation.item.input_audio_transcription.completed':
        // The response contained no speech, or there is none, since no words were understood.
        if (state === 'thinking' && !isResponding && !event.transcript) show('listening');
        break;
      case 'error':
        // The service refuses typed messages in order, as soon as they arrive.
        session.conversation.returnToDraft(transcript.withdraw(), true);
        note(`${texts().notSent} ${readText(event.error?.message)}`);
        break;
      case 'call.ended':
        end(serviceEnd(event.reason));
    }
  };
  const connection = createConnection({
    client,
    id,
    controller,
    audio,
    onEvent,
    onReconnecting: (isOpen) => {
      // After reconnecting, the assistant apologizes before it listens.
      isReadyDue = isOpen;
      show(isOpen ? 'listening' : 'reconnecting', false);
      if (isOpen) return;
      transcript.interrupt();
      announce(texts().reconnecting);
    },
  });
  const devices = createDevices({
    audio,
    requestMicrophone,
    signal,
    onTrack: (track, replacesLost) => {
      connection.useTrack(track);
      note(replacesLost ? fill(texts().nowUsing, { name: track.label || texts().standard }) : '');
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

  /** Sends a typed message over the connection; if that is not open, it is sent as usual. */
  const onSend = (event: ChatEventMap['chat-send']): void => {
    if (event.defaultPrevented || event.composedPath()[0] !== host.element) return;
    const { conversation } = session;
    const { text } = event.detail;
    interrupt();
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    if (!connection.send({ type: 'conversation.item.create', item })) return;
    connection.send({ type: 'response.create' });
    event.preventDefault();
    if (conversation.draft === text) conversation.draft = '';
    notice = '';
    transcript.type(text);
  };

  const conversationChanged = (): void => {
    const { problem } = session.snapshot;
    if (id()) onOpened?.();
    else if (problem) end(connectionProblem(problem));
  };
  const start = async (): Promise<void> => {
    onChange();
    try {
      const opened = new Promise<void>((resolve) => {
        onOpened = resolve;
      });
      void session.conversation.open();
      conversationChanged();
      const [options] = await Promise.all([
        opened.then(() => readVoiceOptions(client, id(), { signal })),
        loadCallTexts(panel.locale as Locale).then(onChange),
        microphone.then(devices.use, async (error: unknown) => {
          end(await microphoneProblem(error as MicrophoneError));
        }),
      ]);
      signal.throwIfAborted();
      session.apply({ type: 'call', call: controller });
      const started = await connection.connect(options.ice_servers as unknown as RTCIceServer[]);
      // Not that of the options: the owner may have changed it meanwhile.
      if (started['is_recorded']) deferred = recordingNotice = texts().recorded;
      startedAt = Date.now();
      timer = setInterval(() => {
        onChange();
        report([id(), true]);
      }, 1000);
      isReadyDue = true;
      const { messages } = session.snapshot;
      // The assistant speaks its greeting first, unless the visitor has written before.
      show('listening', !messages[0] || messages.some(({ role }) => role !== 'assistant'));
    } catch (error) {
      end(connectionProblem(error));
    }
  };
  /** Releases everything, and replaces the live messages by those that the service has stored. */
  const onEnd = async (): Promise<void> => {
    const ended = connection.end();
    clearInterval(timer);
    report([id(), false]);
    audio.pause();
    audio.srcObject = null;
    // It may be over before its texts have loaded.
    await loadCallTexts(panel.locale as Locale);
    show('over');
    announce(texts()[signal.reason as CallEnd]);
    await ended;
    const hasRead = await readMessages(session, controller);
    if (session.signal.aborted) return;
    // Texts that were lost with the connection. If the service cannot be asked: those without an answer.
    const { messages } = session.snapshot;
    const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
    const lost = [...transcript.typed].filter(([typedKey, typed]) =>
      hasRead
        ? !messages.some(({ role, text }) => role === 'user' && text === typed.trim())
        : messages.findIndex(({ key }) => key === typedKey) > lastAnswer,
    );
    session.conversation.returnToDraft(lost.map(([, text]) => text).join('\n\n'), true);
    session.apply({ type: 'removed', keys: lost.map(([key]) => key) });
  };

  signal.addEventListener('abort', () => void onEnd());
  addEventListener('pagehide', dismiss, { signal });
  // The window's listeners run last: until then, the page can prevent the event.
  addEventListener('chat-send', onSend, { signal });
  announce(texts().connecting);
  void start();

  return {
    controller,
    session,
    conversationChanged,
    interrupt,
    hideDevices: () => {
      const { activeElement } = host.shadowRoot;
      if (!showsDevices || !activeElement?.matches('.call-devices *, [part=call-devices-button]'))
        return false;
      showsDevices = false;
      container.querySelector<HTMLElement>('[part=call-devices-button]')?.focus();
      onChange();
      return true;
    },
    view: (texts) =>
      signal.aborted
        ? endedCallBar(texts, texts[signal.reason as CallEnd], dismiss)
        : callBar({
            texts,
            state,
            seconds: seconds(),
            hasStopButton:
              // Not removed while it has the focus, which would move to another button.
              state === 'speaking' || !!host.shadowRoot.activeElement?.matches('[part=call-stop-button]'),
            isMuted,
            notice: `${recordingNotice} ${notice}`.trim(),
            devices: showsDevices ? devices.choices() : [],
            onStop: interrupt,
            onMute: () => {
              isMuted = !isMuted;
              devices.mute(isMuted);
              if (state === 'speaking') isReadyDue = true;
              else announce(texts[isMuted ? 'muted' : state]);
              onChange();
            },
            onDevices: () => {
              showsDevices = !showsDevices;
              onChange();
            },
            onEnd: dismiss,
          }),
  };
}

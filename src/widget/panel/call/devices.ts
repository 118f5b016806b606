import { measureLevel } from '../voice/measure-level.ts';
import type { MicrophoneError } from './request-microphone.ts';

/**
 * Requests the microphone with this ID, else the default one. It is released when the signal aborts. A parameter, since
 * a site's bundler would put a module that two lazy modules import into a file of its own, and load it with the first.
 */
export type RequestMicrophone = (signal: AbortSignal, deviceId?: string) => Promise<MediaStream>;

export interface DevicesOptions {
  /** Plays the assistant's voice. */
  readonly audio: HTMLAudioElement;
  readonly requestMicrophone: RequestMicrophone;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  /** Another microphone is used from now on, which may replace one that was lost. */
  readonly onTrack: (track: MediaStreamTrack, replacesLost: boolean) => void;
  /** The microphone was lost, and no other one can be used. */
  readonly onNone: (error: MicrophoneError) => void;
  /** The level of the microphone, in each frame, from 0 to 1. */
  readonly onLevel: (level: number) => void;
  /** The lists have changed. */
  readonly onChange: () => void;
}

/** Devices of one kind, to choose from. */
export interface DeviceChoice {
  readonly kind: 'microphone' | 'speaker';
  readonly devices: readonly MediaDeviceInfo[];
  /** The ID of the device in use. */
  readonly used: string | undefined;
  readonly choose: (deviceId: string) => void;
}

/** Microphone and speaker of a call. A device that is disconnected is replaced by the browser's default. */
export interface Devices {
  /** Both kinds. There are no speakers if the browser cannot choose one. */
  readonly choices: () => readonly DeviceChoice[];
  /** Uses a microphone that was requested elsewhere. */
  readonly use: (stream: MediaStream) => void;
  readonly mute: (isMuted: boolean) => void;
}

export function createDevices({
  audio,
  requestMicrophone,
  signal,
  onTrack,
  onNone,
  onLevel,
  onChange,
}: DevicesOptions): Devices {
  const { mediaDevices } = navigator;
  let all: readonly MediaDeviceInfo[] = [];
  /** The microphone in use; undefined until the call has one. */
  let track: MediaStreamTrack | undefined;
  let isMuted = false;
  let endLevel: (() => void) | undefined;
  let requests = Promise.resolve();
  let replacing: Promise<void> | undefined;

  const list = async (): Promise<void> => {
    all = await mediaDevices.enumerateDevices().catch(() => []);
    onChange();
  };
  const listed = (kind: MediaDeviceKind): readonly MediaDeviceInfo[] =>
    all.filter((device) => device.kind === kind);

  const chooseSpeaker = async (deviceId: string): Promise<void> => {
    await audio.setSinkId(deviceId).catch(() => undefined);
    onChange();
  };

  /** Requests a microphone after the earlier requests, since each may prompt the visitor. The last one decides. */
  const inTurn = (request: () => Promise<void>): Promise<void> => (requests = requests.then(request));
  const useMicrophone = (stream: MediaStream, replacesLost = false): void => {
    const [next] = stream.getAudioTracks();
    if (!next) return;
    track?.stop();
    endLevel?.();
    track = next;
    next.enabled = !isMuted;
    next.addEventListener('ended', replaceLostMicrophone);
    onTrack(next, replacesLost);
    endLevel = measureLevel(stream, onLevel);
    void list();
  };
  const chooseMicrophone = (deviceId: string): void => {
    void inTurn(async () => {
      try {
        useMicrophone(await requestMicrophone(signal, deviceId));
      } catch {
        // The call keeps the one that it has.
        onChange();
      }
    });
  };
  /** Browsers report a loss up to twice, so one replacement may be in progress already. */
  function replaceLostMicrophone(): void {
    replacing ??= inTurn(async () => {
      // It works, or the call has none yet: then it is requested already.
      if (track?.readyState !== 'ended') return;
      try {
        useMicrophone(await requestMicrophone(signal), true);
      } catch (error) {
        if (!signal.aborted) onNone(error as MicrophoneError);
      }
    }).finally(() => {
      replacing = undefined;
    });
  }

  const onDeviceChange = async (): Promise<void> => {
    await list();
    const { sinkId } = audio;
    if (sinkId && !listed('audiooutput').some(({ deviceId }) => deviceId === sinkId)) await chooseSpeaker('');
    replaceLostMicrophone();
  };
  // Missing on an insecure page, where the request for the microphone says so.
  (mediaDevices as MediaDevices | undefined)?.addEventListener('devicechange', () => void onDeviceChange(), {
    signal,
  });
  const followPermission = async (): Promise<void> => {
    const permission = await navigator.permissions.query({ name: 'microphone' });
    const onPermission = (): void => {
      if (permission.state === 'granted') replaceLostMicrophone();
    };
    permission.addEventListener('change', onPermission, { signal });
  };
  // Not supported by every browser.
  followPermission().catch(() => undefined);
  signal.addEventListener('abort', () => endLevel?.());

  return {
    choices: () => [
      {
        kind: 'microphone',
        devices: listed('audioinput'),
        used: track?.getSettings().deviceId,
        choose: chooseMicrophone,
      },
      {
        kind: 'speaker',
        devices: 'setSinkId' in audio ? listed('audiooutput') : [],
        used: audio.sinkId || 'default',
        choose: (id) => void chooseSpeaker(id),
      },
    ],
    use: useMicrophone,
    mute: (muted) => {
      isMuted = muted;
      if (track) track.enabled = !muted;
      // The visitor may have allowed a microphone that was lost because it was blocked.
      if (!muted) replaceLostMicrophone();
    },
  };
}

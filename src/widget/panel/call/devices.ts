import { measureLevel } from '../voice/measure-level.ts';
import type { MicrophoneError } from './request-microphone.ts';

/** Requests the microphone with this ID, else the default one. It is released when the signal aborts. */
export type RequestMicrophone = (signal: AbortSignal, deviceId?: string) => Promise<MediaStream>;

export interface DevicesOptions {
  /** Plays the assistant's voice. */
  readonly audio: HTMLAudioElement;
  readonly requestMicrophone: RequestMicrophone;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  /** Another microphone is used from now on; `isLost` if the previous one was disconnected. */
  readonly onTrack: (track: MediaStreamTrack, isLost: boolean) => void;
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
  let track: MediaStreamTrack | undefined;
  let isMuted = false;
  let all: readonly MediaDeviceInfo[] = [];
  let endLevel: (() => void) | undefined;
  let requests = Promise.resolve();
  let replacing: Promise<void> | undefined;

  const listed = (kind: MediaDeviceKind): readonly MediaDeviceInfo[] =>
    all.filter((device) => device.kind === kind);
  const list = async (): Promise<void> => {
    all = await mediaDevices.enumerateDevices().catch(() => []);
    onChange();
  };
  const use = (stream: MediaStream, isLost = false): void => {
    const [next] = stream.getAudioTracks();
    if (!next) return;
    track?.stop();
    endLevel?.();
    track = next;
    next.enabled = !isMuted;
    next.addEventListener('ended', replaceLost);
    onTrack(next, isLost);
    endLevel = measureLevel(stream, onLevel);
    void list();
  };
  /** Each request may prompt the visitor, so the next one waits for it. The last one decides. */
  const request = (deviceId?: string): Promise<void> =>
    (requests = requests.then(async () => {
      if (!deviceId && track?.readyState === 'live') return;
      try {
        use(await requestMicrophone(signal, deviceId), !deviceId);
      } catch (error) {
        // The call keeps a microphone that works.
        if (deviceId) onChange();
        else if (!signal.aborted) onNone(error as MicrophoneError);
      }
    }));
  /** Browsers report a loss up to twice. */
  const replaceLost = (): void => {
    // Before the call has one, it is requested already.
    if (!track) return;
    replacing ??= request().finally(() => {
      replacing = undefined;
    });
  };
  const chooseSpeaker = async (deviceId: string): Promise<void> => {
    await audio.setSinkId(deviceId).catch(() => undefined);
    onChange();
  };
  const follow = async (): Promise<void> => {
    await list();
    const { sinkId } = audio;
    if (sinkId && !listed('audiooutput').some(({ deviceId }) => deviceId === sinkId)) await chooseSpeaker('');
    if (track?.readyState !== 'live') replaceLost();
  };
  // Missing on an insecure page, where the request for the microphone says so.
  (mediaDevices as MediaDevices | undefined)?.addEventListener('devicechange', () => void follow(), {
    signal,
  });
  const followPermission = async (): Promise<void> => {
    const permission = await navigator.permissions.query({ name: 'microphone' });
    const onPermission = (): void => {
      if (permission.state === 'granted') replaceLost();
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
        choose: (id) => void request(id),
      },
      {
        kind: 'speaker',
        devices: 'setSinkId' in audio ? listed('audiooutput') : [],
        used: audio.sinkId || 'default',
        choose: (id) => void chooseSpeaker(id),
      },
    ],
    use,
    mute: (muted) => {
      isMuted = muted;
      if (track) track.enabled = !muted;
      // The visitor may have allowed the microphone again.
      if (!muted) replaceLost();
    },
  };
}

export interface DevicesOptions {
  /** Plays the assistant's voice. */
  readonly audio: HTMLAudioElement;
  readonly requestMicrophone: (deviceId?: string) => Promise<MediaStream>;
  /** The microphone was replaced; `isLost` if the one before was disconnected. */
  readonly onStream: (stream: MediaStream, isLost: boolean) => void;
  /** There is no microphone any more. */
  readonly onNone: () => void;
  /** The lists have changed. */
  readonly onChange: () => void;
  /** Releases the microphone. */
  readonly signal: AbortSignal;
}

/** Microphones and speakers of a call. A device that is disconnected is replaced by the browser's default. */
export class Devices {
  readonly #options: DevicesOptions;
  #stream: MediaStream | undefined;
  #all: readonly MediaDeviceInfo[] = [];

  constructor(options: DevicesOptions) {
    this.#options = options;
    const { signal } = options;
    navigator.mediaDevices.addEventListener('devicechange', () => void this.#follow(), { signal });
    signal.addEventListener('abort', () => {
      stopTracks(this.#stream);
    });
  }

  get microphones(): readonly MediaDeviceInfo[] {
    return this.#all.filter(({ kind }) => kind === 'audioinput');
  }

  /** Empty if the browser cannot choose one. */
  get speakers(): readonly MediaDeviceInfo[] {
    const canChoose = 'setSinkId' in this.#options.audio;
    return canChoose ? this.#all.filter(({ kind }) => kind === 'audiooutput') : [];
  }

  get microphoneId(): string | undefined {
    return this.#track?.getSettings().deviceId;
  }

  get speakerId(): string {
    return this.#options.audio.sinkId;
  }

  get #track(): MediaStreamTrack | undefined {
    return this.#stream?.getAudioTracks()[0];
  }

  /** Uses a microphone that was requested elsewhere. */
  use(stream: MediaStream, isLost = false): void {
    if (this.#options.signal.aborted) {
      stopTracks(stream);
      return;
    }
    stopTracks(this.#stream);
    this.#stream = stream;
    this.#track?.addEventListener('ended', () => {
      if (this.#stream === stream) void this.#replaceLost();
    });
    this.#options.onStream(stream, isLost);
    void this.#list();
  }

  async chooseMicrophone(deviceId: string): Promise<void> {
    try {
      this.use(await this.#options.requestMicrophone(deviceId));
    } catch {
      // It was disconnected or is in use: the call keeps the current one.
      this.#options.onChange();
    }
  }

  async chooseSpeaker(deviceId: string): Promise<void> {
    await this.#options.audio.setSinkId(deviceId).catch(() => undefined);
    this.#options.onChange();
  }

  async #follow(): Promise<void> {
    await this.#list();
    const { speakerId } = this;
    if (speakerId && !this.speakers.some(({ deviceId }) => deviceId === speakerId))
      await this.chooseSpeaker('');
    if (this.#track?.readyState !== 'live') await this.#replaceLost();
  }

  async #replaceLost(): Promise<void> {
    if (this.#options.signal.aborted) return;
    try {
      this.use(await this.#options.requestMicrophone(), true);
    } catch {
      this.#options.onNone();
    }
  }

  async #list(): Promise<void> {
    this.#all = await navigator.mediaDevices.enumerateDevices().catch(() => []);
    this.#options.onChange();
  }
}

/** Releases a microphone. */
export function stopTracks(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

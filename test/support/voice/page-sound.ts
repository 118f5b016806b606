/** How loud the assistant was in a page: the time (milliseconds since 1970) and the level (RMS, 0 to 1). */
export type Level = readonly [at: number, level: number];

declare global {
  interface Window {
    visitorSound: PageSound;
  }
}

/** The audio of a page. */
export interface PageSound {
  /** Speaks into the microphone. Returns when the speech begins and ends, in milliseconds since 1970. */
  readonly say: (samples: string, rate: number) => { start: number; end: number };
  /** The level of the track that the page receives and plays, about 100 times a second. */
  readonly levels: Level[];
  /** Violations of the page's Content Security Policy. */
  readonly violations: string[];
  /** Whether an audio element plays the received track. */
  readonly isPlaying: () => boolean;
  /** Plugs in microphones that hum, by device ID. The one in use stays the default. */
  readonly plugIn: (frequencies: Readonly<Record<string, number>>) => void;
  /** Unplugs the microphone in use; `isLast` if there is no other one. */
  readonly unplug: (isLast: boolean) => void;
}

/**
 * Runs in the page before its scripts. Replaces the microphone with a stream that plays recordings, and measures the
 * audio that connections receive. It is sent as text, so it uses nothing outside itself.
 */
export function installSound(): void {
  let context: AudioContext | undefined;
  const useContext = () => (context ??= new AudioContext());
  const microphones: MediaStreamAudioDestinationNode[] = [];
  let hasMicrophone = true;
  // An empty page, which comes first in Firefox, has no devices.
  if (!('mediaDevices' in navigator)) return;
  let frequencies: Readonly<Record<string, number>> = {};
  navigator.mediaDevices.getUserMedia = (constraints) => {
    if (!hasMicrophone) return Promise.reject(new DOMException('', 'NotFoundError'));
    const microphone = useContext().createMediaStreamDestination();
    const { audio } = constraints as { audio: { deviceId?: { exact: string } } };
    const frequency = frequencies[audio.deviceId?.exact ?? ''];
    if (frequency === undefined) {
      microphones.push(microphone);
    } else {
      const hum = new OscillatorNode(useContext(), { frequency });
      hum.connect(microphone);
      hum.start();
    }
    return Promise.resolve(microphone.stream);
  };

  const elements = new Set<HTMLMediaElement>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the element
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function () {
    elements.add(this);
    return play.call(this);
  };

  const violations: string[] = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    violations.push(`${violatedDirective}: ${blockedURI}`);
  });
  const levels: Level[] = [];
  const measure = (track: MediaStreamTrack) => {
    const analyser = useContext().createAnalyser();
    analyser.fftSize = 1024;
    useContext()
      .createMediaStreamSource(new MediaStream([track]))
      .connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    setInterval(() => {
      if (track.readyState === 'ended') return;
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      levels.push([Date.now(), window.visitorSound.isPlaying() ? Math.sqrt(power) : 0]);
    }, 10);
  };
  const Connection = RTCPeerConnection;
  window.RTCPeerConnection = class extends Connection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      this.addEventListener('track', ({ track }) => {
        measure(track);
      });
    }
  };

  window.visitorSound = {
    levels,
    violations,
    say: (base64, rate) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const speech = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32_768);
      const buffer = useContext().createBuffer(1, speech.length, rate);
      buffer.copyToChannel(speech, 0);
      const source = useContext().createBufferSource();
      source.buffer = buffer;
      for (const microphone of microphones) source.connect(microphone);
      source.start();
      const start = Date.now();
      return { start, end: start + buffer.duration * 1000 };
    },
    isPlaying: () =>
      [...elements].some(
        ({ paused, muted, volume, srcObject }) =>
          !paused && !muted && volume > 0 && srcObject instanceof MediaStream && srcObject.active,
      ),
    plugIn: (hums) => {
      frequencies = hums;
      navigator.mediaDevices.enumerateDevices = () =>
        Promise.resolve(
          ['default', ...Object.keys(hums)].map((deviceId) => ({
            ...{ deviceId, label: deviceId, groupId: '', kind: 'audioinput' as const },
            toJSON: () => undefined,
          })),
        );
      navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
    },
    unplug: (isLast) => {
      hasMicrophone = !isLast;
      for (const { stream } of microphones.splice(0)) {
        for (const track of stream.getTracks()) track.stop();
      }
      // Firefox does not deliver an event `ended` that is made by a script.
      navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
    },
  };
}

import { until } from './chat-fixture.ts';

/*
 * A fake of the service's side of a call: a second `RTCPeerConnection` in the page. Audio and events go through
 * real WebRTC. Only the microphone is a tone, since a test machine has none.
 */

/** An error response instead of the usual one. */
type Refusal = { readonly status: number; readonly error: string };

export class FakeCallService {
  /** The requests in order, as in `POST`. */
  readonly requests: string[] = [];
  /** The bodies of `POST`. */
  readonly offers: { readonly sdp: string; readonly call?: string }[] = [];
  /** The tokens of the calls that `DELETE` has ended. The token of a call contains the number of its offer. */
  readonly ended: (string | null)[] = [];
  /** The events that the widget has sent. */
  readonly received: { readonly type: string; readonly [name: string]: unknown }[] = [];
  /** Refuses requests of a method; with a string, a proxy answers them with this page. */
  readonly refusals: Record<string, Refusal | string | undefined> = {};
  /** Whether the assistant offers calls. */
  offersCalls = true;
  isRecorded = false;
  /** The ICE servers of the service. */
  iceServers: RTCIceServer[] = [];
  /** Delays the answers to requests of a method until its promise settles. */
  readonly pauses: Record<string, Promise<unknown> | undefined> = {};
  /** Replaces the next answers, one by one. */
  readonly answers: string[] = [];
  /** The seconds of ended calls. The history ends with them. */
  readonly durations: number[] = [];
  /** The elements that play sound. */
  readonly players: HTMLAudioElement[] = [];
  peer: RTCPeerConnection | undefined;
  #channel: RTCDataChannel | undefined;
  /** The token of the latest call. */
  #token = '';
  readonly #fetch = window.fetch.bind(window);
  readonly #Audio = window.Audio;
  readonly #context = new AudioContext();

  constructor() {
    const { players } = this;
    window.Audio = class extends Audio {
      #sinkId = '';

      constructor() {
        super();
        players.push(this);
      }

      // A test machine has no speakers.
      override get sinkId(): string {
        return this.#sinkId;
      }

      override setSinkId(id: string): Promise<void> {
        this.#sinkId = id;
        return Promise.resolve();
      }
    };
    window.fetch = (input, init) => {
      const address = input instanceof Request ? input.url : String(input);
      const { pathname, searchParams } = new URL(address, location.href);
      if (/\/voice$/.test(pathname)) return this.#respond(init, searchParams.get('call'));
      const response = this.#fetch(input, init);
      if (/\/widget$/.test(pathname)) return response.then((read) => this.#withCalls(read));
      const isRead = /\/conversations\/[^/]+$/.test(pathname) && (init?.method ?? 'GET') === 'GET';
      return isRead && this.durations[0] ? response.then((read) => this.#withEnds(read)) : response;
    };
  }

  /** The visitor's audio as it arrives. */
  get heard(): MediaStreamTrack | undefined {
    return this.peer?.getReceivers()[0]?.track;
  }

  /** Whether the call is connected. */
  get isOpen(): boolean {
    return this.#channel?.readyState === 'open';
  }

  /** The states of its connection and its data channel, for error messages. */
  get state(): string {
    const { connectionState, iceConnectionState, sctp } = this.peer ?? {};
    return [connectionState, iceConnectionState, sctp?.state, this.#channel?.readyState].join('/');
  }

  /** Sends an event to the widget. */
  send(type: string, details: object = {}): void {
    this.#channel?.send(JSON.stringify({ type, ...details }));
  }

  /** Closes the connection without an event. */
  lose(): void {
    this.peer?.close();
  }

  async stop(): Promise<void> {
    this.peer?.close();
    window.fetch = this.#fetch;
    window.Audio = this.#Audio;
    await this.#context.close();
  }

  /** The public settings of an assistant that offers calls. */
  async #withCalls(response: Response): Promise<Response> {
    const { data } = (await response.json()) as { data: object };
    return Response.json({ status: true, data: { ...data, web_calls: this.offersCalls } });
  }

  /** A conversation with the ends of calls. */
  async #withEnds(response: Response): Promise<Response> {
    const conversation = (await response.json()) as { history: object[] };
    const ends = this.durations.map((duration) => ({
      role: 'system',
      content: 'The call has ended.',
      event: 'call_ended',
      duration,
      created_at: new Date().toISOString(),
    }));
    return Response.json({ ...conversation, history: [...conversation.history, ...ends] });
  }

  async #respond(init: RequestInit | undefined, ended: string | null): Promise<Response> {
    const method = init?.method ?? 'GET';
    this.requests.push(method);
    await this.pauses[method];
    const refusal = this.refusals[method];
    if (typeof refusal === 'string')
      return new Response(refusal, { headers: { 'Content-Type': 'text/html' } });
    if (refusal) return Response.json({ status: false, error: refusal.error }, { status: refusal.status });
    if (method === 'GET')
      return Response.json({
        status: true,
        ice_servers: this.iceServers,
        max_seconds: 600,
        is_recorded: this.isRecorded,
      });
    if (method === 'DELETE') {
      this.ended.push(ended);
      if (ended === this.#token) this.peer?.close();
      return Response.json({ status: true });
    }
    const offer = JSON.parse(init?.body as string) as { sdp: string; call?: string };
    this.offers.push(offer);
    const token = (this.#token = offer.call ?? `token-${this.offers.length}`);
    const sdp = this.answers.shift() ?? (await this.#answer(offer.sdp));
    return Response.json({ status: true, sdp, call: token, is_recorded: this.isRecorded }, { status: 201 });
  }

  async #answer(sdp: string): Promise<string> {
    const peer = (this.peer = new RTCPeerConnection());
    // That of the call before may still be open.
    this.#channel = undefined;
    peer.ondatachannel = ({ channel }) => {
      this.#channel = channel;
      channel.onmessage = ({ data }) => {
        this.received.push(JSON.parse(String(data)) as (typeof this.received)[number]);
      };
    };
    await peer.setRemoteDescription({ type: 'offer', sdp });
    const { stream } = tone(this.#context);
    for (const track of stream.getTracks()) peer.addTrack(track, stream);
    await peer.setLocalDescription();
    await until(() => peer.iceGatheringState === 'complete', 'the candidates of the fake service');
    return peer.localDescription?.sdp ?? '';
  }
}

function tone(context: AudioContext): MediaStreamAudioDestinationNode {
  const source = context.createOscillator();
  const destination = context.createMediaStreamDestination();
  source.connect(destination);
  source.start();
  return destination;
}

/** A microphone or a speaker. */
type Device = Pick<MediaDeviceInfo, 'kind' | 'deviceId' | 'label'>;

/** Replaces the microphone of the page, and the list of its devices. */
export class FakeMicrophone {
  /** The constraints of each request. */
  readonly requests: MediaTrackConstraints[] = [];
  /** The streams that the page has received. */
  readonly streams: MediaStream[] = [];
  devices: readonly Device[] = [];
  /** Rejects requests with this error. */
  error: DOMException | undefined;
  /** Keeps requests waiting, as a browser does until the visitor has decided. */
  prompt: Promise<unknown> | undefined;
  readonly #context = new AudioContext();

  constructor() {
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      this.requests.push((constraints?.audio ?? {}) as MediaTrackConstraints);
      await this.prompt;
      if (this.error) throw this.error;
      const { stream } = tone(this.#context);
      const { exact = 'default' } = (constraints?.audio as { deviceId?: { exact?: string } }).deviceId ?? {};
      const { label = '' } = this.devices.find(({ deviceId }) => deviceId === exact) ?? {};
      for (const track of stream.getTracks()) {
        track.getSettings = () => ({ deviceId: exact });
        Object.defineProperty(track, 'label', { value: label });
      }
      this.streams.push(stream);
      return stream;
    };
    navigator.mediaDevices.enumerateDevices = () => Promise.resolve(this.devices as MediaDeviceInfo[]);
  }

  /** Starts its tone, which browsers allow after the first click. */
  async turnOn(): Promise<void> {
    await this.#context.resume();
  }

  /** Whether a microphone is in use. */
  get isOn(): boolean {
    return this.inUse.length > 0;
  }

  /** The IDs of the microphones in use. */
  get inUse(): (string | undefined)[] {
    return this.#tracks
      .filter(({ readyState }) => readyState === 'live')
      .map((track) => track.getSettings().deviceId);
  }

  /** Disconnects the microphones in use: the browser ends their tracks, then reports that the devices have changed. */
  unplug(): void {
    for (const track of this.#tracks.filter(({ readyState }) => readyState === 'live')) {
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }
    this.change();
  }

  /** The devices have changed. */
  change(): void {
    navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
  }

  get #tracks(): MediaStreamTrack[] {
    return this.streams.flatMap((stream) => stream.getTracks());
  }

  async stop(): Promise<void> {
    // The browser's own methods come from the prototype.
    for (const name of ['getUserMedia', 'enumerateDevices'])
      Reflect.deleteProperty(navigator.mediaDevices, name);
    await this.#context.close();
  }
}

import type { CallEvent } from './live-transcript.ts';

/** The WebRTC connection of a call. */
export interface Line {
  /** Sends an event. Returns false if the line is not open. */
  readonly send: (event: object) => boolean;
  /** Sends the sound of another track from now on. */
  readonly replaceTrack: (track: MediaStreamTrack) => void;
  readonly close: () => void;
}

export interface LineOptions {
  readonly iceServers: RTCIceServer[];
  /** The microphone. */
  readonly track: MediaStreamTrack;
  /** Plays the assistant's voice. */
  readonly audio: HTMLAudioElement;
  /** Sends the SDP offer, and resolves with the answer. */
  readonly exchange: (offer: string) => Promise<string>;
  readonly onEvent: (event: CallEvent) => void;
  /** The open line was lost. */
  readonly onLost: () => void;
  /** Stops opening the line. */
  readonly signal: AbortSignal;
}

/** Milliseconds to wait for ICE candidates: a server that does not respond must not delay the call. */
const gatheringTimeout = 1500;
/** Milliseconds until a line that does not open counts as lost. */
const openingTimeout = 10_000;
/** Milliseconds that a connection may be interrupted: it often recovers. */
const interruptionTimeout = 3000;

/**
 * Opens a line.
 *
 * @throws {Error} if it does not open; the error of `exchange`, if that fails
 */
export async function openLine({
  iceServers,
  track,
  audio,
  exchange,
  onEvent,
  onLost,
  signal,
}: LineOptions): Promise<Line> {
  const peer = new RTCPeerConnection({ iceServers });
  const channel = peer.createDataChannel('events');
  const sender = peer.addTrack(track);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onFailed: (() => void) | undefined;
  const close = (): void => {
    clearTimeout(timer);
    channel.onmessage = channel.onclose = peer.onconnectionstatechange = null;
    peer.close();
  };
  const fail = (): void => {
    close();
    onFailed?.();
  };
  signal.addEventListener('abort', fail);
  channel.onclose = fail;
  channel.onmessage = ({ data }) => {
    try {
      onEvent(JSON.parse(data as string) as CallEvent);
    } catch {
      // Not an event.
    }
  };
  peer.ontrack = (event) => {
    audio.srcObject = new MediaStream([event.track]);
    audio.play().catch(() => undefined);
  };
  peer.onconnectionstatechange = () => {
    clearTimeout(timer);
    if (peer.connectionState === 'failed') fail();
    if (peer.connectionState === 'disconnected') timer = setTimeout(fail, interruptionTimeout);
  };
  try {
    const gathered = new Promise<void>((resolve) => {
      peer.onicegatheringstatechange = () => {
        if (peer.iceGatheringState === 'complete') resolve();
      };
      setTimeout(resolve, gatheringTimeout);
    });
    await peer.setLocalDescription();
    await gathered;
    // Else the service would have a call that nobody ends.
    signal.throwIfAborted();
    const sdp = await exchange((peer.localDescription as RTCSessionDescription).sdp);
    await new Promise<void>((resolve, reject) => {
      onFailed = () => {
        reject(new Error('Not connected.'));
      };
      channel.onopen = () => {
        resolve();
      };
      setTimeout(() => {
        if (channel.readyState === 'connecting') fail();
      }, openingTimeout);
      peer.setRemoteDescription({ type: 'answer', sdp }).catch(fail);
    });
  } catch (error) {
    close();
    throw error;
  }
  // An attempt to connect has a time limit, which must not close the open line.
  signal.removeEventListener('abort', fail);
  onFailed = onLost;
  return {
    send: (event) => {
      if (channel.readyState !== 'open') return false;
      channel.send(JSON.stringify(event));
      return true;
    },
    replaceTrack: (track) => void sender.replaceTrack(track),
    close,
  };
}

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
export async function openLine(options: LineOptions): Promise<Line> {
  const { iceServers, track, audio, exchange, onEvent, onLost, signal } = options;
  const peer = new RTCPeerConnection({ iceServers });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    clearTimeout(timer);
    channel.onmessage = channel.onclose = peer.onconnectionstatechange = null;
    peer.close();
  };
  signal.addEventListener('abort', close);
  const channel = peer.createDataChannel('events');
  channel.onmessage = ({ data }) => {
    try {
      onEvent(JSON.parse(String(data)) as CallEvent);
    } catch {
      // Not an event.
    }
  };
  peer.ontrack = (event) => {
    audio.srcObject = new MediaStream([event.track]);
    audio.play().catch(() => undefined);
  };
  const sender = peer.addTrack(track);
  try {
    await peer.setLocalDescription();
    await gatherCandidates(peer);
    const sdp = await exchange(peer.localDescription?.sdp ?? '');
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const fail = (): void => {
        reject(new Error('Not connected.'));
      };
      timer = setTimeout(fail, openingTimeout);
      channel.onopen = () => {
        resolve();
      };
      channel.onclose = fail;
      signal.addEventListener('abort', fail);
      peer.onconnectionstatechange = () => {
        if (peer.connectionState === 'failed') fail();
      };
      peer.setRemoteDescription({ type: 'answer', sdp }).catch(fail);
    });
  } catch (error) {
    close();
    throw error;
  }
  clearTimeout(timer);
  // An attempt to connect has a time limit, which must not close the open line.
  signal.removeEventListener('abort', close);
  const lose = (): void => {
    close();
    onLost();
  };
  channel.onclose = lose;
  peer.onconnectionstatechange = () => {
    clearTimeout(timer);
    if (peer.connectionState === 'failed') lose();
    else if (peer.connectionState === 'disconnected') timer = setTimeout(lose, interruptionTimeout);
  };
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

async function gatherCandidates(peer: RTCPeerConnection): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (peer.iceGatheringState === 'complete') resolve();
    };
    peer.onicegatheringstatechange = check;
    setTimeout(resolve, gatheringTimeout);
    check();
  });
}

import type { ChatError } from '../../../client/chat-error.ts';
import type { ConversationClient } from '../../../client/conversation-client.ts';
import { requestCall, requestCallEnd } from '../../../client/web-call.ts';
import type { StartedCall } from '../../../contract/web-call-endpoints.ts';
import { sleep } from '../../conversation/sending/sleep.ts';
import { connectionProblem } from './call-problem.ts';
import type { CallEvent } from './live-transcript.ts';

/** The call at the service, and the WebRTC connection to it, which is reopened if it is lost. */
export interface CallConnection {
  /**
   * Returns the response of the service.
   *
   * @throws {Error} if the service refuses, or the connection does not open
   */
  readonly connect: (iceServers: RTCIceServer[]) => Promise<StartedCall>;
  /** Sends an event. Returns false if the connection is not open. */
  readonly send: (event: object) => boolean;
  /** Sends the audio of this microphone from now on. */
  readonly useTrack: (track: MediaStreamTrack) => void;
  /** Ends the call at the service, and closes the connection. Resolves when the service has stored everything. */
  readonly end: () => Promise<void>;
}

/** Milliseconds for which the chat tries to reopen a lost connection. */
const reconnectingTime = 10_000;
/** Milliseconds between two of these attempts. */
const reconnectingPause = 1000;
/** Milliseconds to wait for ICE candidates: a server that does not respond must not delay the call. */
const gatheringTimeout = 1500;
/**
 * Milliseconds from the service's answer until a connection that does not open counts as lost. The service waits as long,
 * from the offer on, so it always gives up first: a first call on a busy machine takes more than ten seconds.
 */
const openingTimeout = 15_000;
/** Milliseconds after which an interrupted connection counts as lost: it often recovers before. */
const interruptionTimeout = 3000;

/** Whether a call cannot be reconnected later either. Other refusals are temporary: a process stops, or lines are busy. */
const isFinal = (error: unknown): boolean => /^4(?!29)/.test(String((error as ChatError).status));

export interface CallConnectionOptions {
  readonly client: ConversationClient;
  /** Returns the UUID of the conversation. */
  readonly id: () => string;
  /** Aborted when the call ends: the reason is the key of the text to show. */
  readonly controller: AbortController;
  /** Plays the assistant's voice. */
  readonly audio: HTMLAudioElement;
  readonly onEvent: (event: CallEvent) => void;
  /** Called when the connection was lost, and when it is open again. */
  readonly onReconnecting: (isOpen: boolean) => void;
}

export function createConnection({
  client,
  id,
  controller,
  audio,
  onEvent,
  onReconnecting,
}: CallConnectionOptions): CallConnection {
  let iceServers: RTCIceServer[];
  let track: MediaStreamTrack;
  let channel: RTCDataChannel | undefined;
  let sender: RTCRtpSender | undefined;
  let close: (() => void) | undefined;
  /** Identifies the call when it reconnects or ends. Undefined while there is no call that this page has to end. */
  let token: string | undefined;
  /** The latest request to start or reconnect the call. */
  let request: Promise<StartedCall> | undefined;

  /** @param limit aborts an attempt that takes too long */
  const connect = async (limit?: AbortSignal): Promise<StartedCall> => {
    const signal = limit ? AbortSignal.any([controller.signal, limit]) : controller.signal;
    const peer = new RTCPeerConnection({ iceServers });
    const events = peer.createDataChannel('events');
    let timer: ReturnType<typeof setTimeout> | undefined;
    let onFailed: (() => void) | undefined;
    const closePeer = (): void => {
      clearTimeout(timer);
      events.onmessage = events.onclose = peer.onconnectionstatechange = null;
      peer.close();
    };
    close = closePeer;
    const fail = (): void => {
      closePeer();
      onFailed?.();
    };
    sender = peer.addTrack(track);
    channel = events;
    signal.addEventListener('abort', fail);
    events.onclose = fail;
    events.onmessage = ({ data }) => {
      try {
        const event = JSON.parse(data as string) as CallEvent;
        // After a failure, the service may still be waiting for a tool, and would refuse the next call.
        if (event.type === 'call.ended' && event.reason !== 'failed') token = undefined;
        onEvent(event);
      } catch {
        // Not an event: ignored.
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
      // Otherwise, the service would start a call that nobody ends.
      signal.throwIfAborted();
      const offer = { sdp: (peer.localDescription as RTCSessionDescription).sdp, call: token || undefined };
      // Hanging up does not abort the request: its answer identifies the call that must then be ended.
      request = requestCall(client, id(), offer, { signal: limit }, signal);
      const started = await request;
      token = started.call;
      await new Promise<void>((resolve, reject) => {
        onFailed = () => {
          reject(new Error('Not connected.'));
        };
        events.onopen = () => {
          resolve();
        };
        setTimeout(() => {
          if (events.readyState === 'connecting') fail();
        }, openingTimeout);
        peer.setRemoteDescription({ type: 'answer', sdp: started.sdp }).catch(fail);
      });
      // An attempt to connect has a time limit, which must not close the open connection.
      signal.removeEventListener('abort', fail);
      // Rejects if the visitor hangs up meanwhile.
      onFailed = () => {
        if (!controller.signal.aborted) void reconnect().catch(() => undefined);
      };
      return started;
    } catch (error) {
      closePeer();
      throw error;
    }
  };
  const reconnect = async (): Promise<void> => {
    onReconnecting(false);
    const limit = AbortSignal.timeout(reconnectingTime);
    for (;;) {
      try {
        await connect(limit);
        onReconnecting(true);
        return;
      } catch (error) {
        if (limit.aborted) controller.abort('lost');
        if (isFinal(error)) controller.abort(connectionProblem(error));
        await sleep(reconnectingPause, controller.signal);
      }
    }
  };

  return {
    connect: (servers) => {
      iceServers = servers;
      return connect();
    },
    send: (event) => {
      if (channel?.readyState !== 'open') return false;
      channel.send(JSON.stringify(event));
      return true;
    },
    useTrack: (used) => {
      track = used;
      sender?.replaceTrack(used).catch(() => undefined);
    },
    end: async () => {
      // The call is over for this page.
      if (channel) channel.onmessage = channel.onclose = null;
      // The request may outlive the page. Until its answer, the service transcribes the visitor's last words: it would
      // not if the connection were closed.
      await request?.catch(() => undefined);
      if (token !== undefined)
        await requestCallEnd(client, id(), token, { keepalive: true }).catch(() => undefined);
      close?.();
    },
  };
}

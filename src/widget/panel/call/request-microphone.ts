/** An error of `getUserMedia`. */
export interface MicrophoneError extends Error {
  /** Whether it came before a visitor could have answered a prompt. */
  readonly isImmediate?: boolean;
}

/** Milliseconds within which no visitor answers a prompt. */
const immediateTime = 100;

/**
 * Requests a microphone: the one with this ID, else the browser's default. It is released when the signal aborts.
 *
 * @throws {MicrophoneError} if the browser cannot make calls, or as `getUserMedia` does; the reason of the signal, if it
 * aborts
 */
export async function requestMicrophone(signal: AbortSignal, deviceId?: string): Promise<MediaStream> {
  // First, so that no visitor is prompted for a call that cannot work.
  if (!('RTCPeerConnection' in globalThis)) throw new Error('WebRTC is missing.');
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  const startedAt = performance.now();
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio: deviceId ? { ...audio, deviceId: { exact: deviceId } } : audio })
    .catch((error: unknown) => {
      throw Object.assign(error as Error, { isImmediate: performance.now() - startedAt < immediateTime });
    });
  const release = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  signal.addEventListener('abort', release);
  if (signal.aborted) release();
  signal.throwIfAborted();
  return stream;
}

/**
 * Requests a microphone: the one with this ID, else the browser's default. It is released when the signal aborts.
 *
 * @throws {Error} if the browser cannot make calls, or as `getUserMedia` does; the reason of the signal, if it aborts
 */
export async function requestMicrophone(signal: AbortSignal, deviceId?: string): Promise<MediaStream> {
  // No prompt that leads to nothing.
  if (!('RTCPeerConnection' in globalThis)) throw new Error('WebRTC is missing.');
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: deviceId ? { ...audio, deviceId: { exact: deviceId } } : audio,
  });
  const release = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  signal.addEventListener('abort', release);
  if (signal.aborted) release();
  signal.throwIfAborted();
  return stream;
}

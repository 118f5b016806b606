/**
 * Requests a microphone: the one with this ID, else the browser's default.
 *
 * @throws {Error} if the browser cannot make calls, or as `getUserMedia` does
 */
export async function requestMicrophone(deviceId?: string): Promise<MediaStream> {
  // No prompt that leads to nothing.
  if (!('RTCPeerConnection' in globalThis)) throw new Error('WebRTC is missing.');
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  return navigator.mediaDevices.getUserMedia({
    audio: deviceId ? { ...audio, deviceId: { exact: deviceId } } : audio,
  });
}

import { measureLevel } from './measure-level.ts';

/**
 * Measures the level of the microphone in each frame, from 0 to 1, if the page already has permission to use it:
 * dictation has its own prompt. Returns a function that releases the microphone.
 */
export function followLevel(onLevel: (level: number) => void): () => void {
  const controller = new AbortController();
  measure(onLevel, controller.signal).catch(() => undefined); // Without a microphone, no level is shown.
  return () => {
    controller.abort();
  };
}

async function measure(onLevel: (level: number) => void, signal: AbortSignal): Promise<void> {
  const { state } = await navigator.permissions.query({ name: 'microphone' });
  if (state !== 'granted' || signal.aborted) return;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const end = measureLevel(stream, onLevel);
  const release = (): void => {
    end();
    for (const track of stream.getTracks()) track.stop();
  };
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- it may have aborted meanwhile
  if (signal.aborted) release();
  else signal.addEventListener('abort', release);
}

/**
 * Measures the level of the microphone in each frame, from 0 to 1, if the page already has permission to use it:
 * dictation has its own prompt. Returns a function that releases the microphone.
 */
export function followLevel(onLevel: (level: number) => void): () => void {
  const life = new AbortController();
  measure(onLevel, life.signal).catch(() => undefined); // Without a microphone, no level is shown.
  return () => {
    life.abort();
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

/** Measures the level of a stream in each frame, from 0 to 1. Returns a function that ends it. */
export function measureLevel(stream: MediaStream, onLevel: (level: number) => void): () => void {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let frame = 0;
  const measureFrame = (): void => {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    // Loudness is perceived in decibels: silence is at -60, speech close to the microphone at -10.
    onLevel(Math.min(1, Math.max(0, (10 * Math.log10(power || 1e-9) + 60) / 50)));
    frame = requestAnimationFrame(measureFrame);
  };
  measureFrame();
  return () => {
    cancelAnimationFrame(frame);
    void context.close();
  };
}

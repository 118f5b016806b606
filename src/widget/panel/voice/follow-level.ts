/**
 * Measures how loud it is at the microphone, from 0 to 1, in each frame. Only if the visitor has allowed that before:
 * listening has asked already, and nobody wants to be asked twice. Gives what ends it, and lets the microphone go.
 */
export function followLevel(onLevel: (level: number) => void): () => void {
  const life = new AbortController();
  measure(onLevel, life.signal).catch(() => undefined); // Then nothing is measured, and the level not shown.
  return () => {
    life.abort();
  };
}

async function measure(onLevel: (level: number) => void, signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  const { state } = await navigator.permissions.query({ name: 'microphone' });
  if (state !== 'granted' || isOver()) return;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const context = new AudioContext();
  const end = (): void => {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  if (isOver()) {
    end();
    return;
  }
  signal.addEventListener('abort', end);
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const look = (): void => {
    if (isOver()) return;
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    // Ears hear in decibels: silence is at -60, speech next to the microphone at -10.
    onLevel(Math.min(1, Math.max(0, (10 * Math.log10(power || 1e-9) + 60) / 50)));
    requestAnimationFrame(look);
  };
  look();
}

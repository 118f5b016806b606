/** Measures the level of a stream in each frame, from 0 to 1. Returns a function that ends it. */
export function measureLevel(stream: MediaStream, onLevel: (level: number) => void): () => void {
  let context: AudioContext | undefined;
  let frame = 0;
  try {
    context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const measureFrame = (): void => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      // Loudness is perceived in decibels: silence is at -60, speech close to the microphone at -10.
      onLevel(Math.min(1, (10 * Math.log10(power + 1e-6) + 60) / 50));
      frame = requestAnimationFrame(measureFrame);
    };
    measureFrame();
  } catch {
    // The browser cannot measure this microphone, such as one with another sample rate in Firefox.
  }
  return () => {
    cancelAnimationFrame(frame);
    void context?.close();
  };
}

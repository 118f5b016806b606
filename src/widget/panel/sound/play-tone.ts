/** Two notes, a fourth apart: Hertz, and seconds from the beginning. */
const notes = [
  [659.3, 0],
  [880, 0.12],
] as const;

/** The initial gain of a note, from 0 to 1, and the seconds that it takes to fade out. */
const loudness = 0.06;
const fading = 0.5;

/** Plays a soft tone and releases the audio device. */
export function playTone(context: AudioContext): void {
  // `currentTime` does not advance until the context runs, so the notes wait for it.
  context.resume().catch(() => undefined);
  const start = context.currentTime + 0.02;
  for (const [frequency, at] of notes) {
    const note = new OscillatorNode(context, { frequency });
    const gain = new GainNode(context, { gain: loudness });
    gain.gain.setValueAtTime(loudness, start + at);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + at + fading);
    note.connect(gain).connect(context.destination);
    note.start(start + at);
    note.stop(start + at + fading);
    if (at > 0) note.onended = () => void context.suspend();
  }
}

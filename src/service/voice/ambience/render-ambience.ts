import type { AmbientSound } from './ambient-sound.ts';
import { SoundLoop } from './sound-loop.ts';

/** Loudness at full volume: -34 decibels of full scale. Speech is at about -20. */
const loudness = 32_768 * 10 ** (-34 / 20);

const chirp = (second: number, pitch: number) =>
  Math.sin((second / 0.14) * Math.PI) ** 2 *
  Math.sin(2 * Math.PI * (2200 + 700 * pitch + 2500 * second) * second);

const clink = (second: number, pitch: number) =>
  Math.min(1, second / 0.002) *
  Math.exp(-second / 0.03) *
  Math.sin(2 * Math.PI * (2300 + 900 * pitch) * second);

const key = (second: number, pitch: number) =>
  Math.min(1, second / 0.001) *
  Math.exp(-second / 0.004) *
  Math.sin(2 * Math.PI * (900 + 1500 * pitch) * second);

const recipes: Readonly<Record<AmbientSound['name'], (loop: SoundLoop) => SoundLoop>> = {
  office: (loop) =>
    loop
      .noise({ from: 60, to: 400, level: 1 })
      .voices(2, 0.4)
      .events({ count: 40, level: 2, seconds: 0.03, shape: key }),
  city: (loop) =>
    loop
      .noise({ from: 30, to: 250, level: 1, swells: 2, depth: 0.4 })
      .noise({ from: 200, to: 1200, level: 0.5, swells: 1, depth: 0.6 }),
  forest: (loop) =>
    loop
      .noise({ from: 200, to: 900, level: 1, swells: 2, depth: 0.5 })
      .events({ count: 12, level: 1.2, seconds: 0.14, shape: chirp }),
  crowded_room: (loop) => loop.noise({ from: 80, to: 500, level: 0.4 }).voices(6, 1),
  cafe: (loop) =>
    loop
      .noise({ from: 80, to: 600, level: 0.6 })
      .voices(4, 0.8)
      .events({ count: 9, level: 2, seconds: 0.2, shape: clink }),
  nature: (loop) =>
    loop
      .noise({ from: 400, to: 2500, level: 1, swells: 3, depth: 0.3 })
      .events({ count: 5, level: 1, seconds: 0.14, shape: chirp }),
};

/** The sounds have no content above 4 kHz, so higher rates are interpolated, which is faster than rendering. */
const renderedRate = 8000;

const loops = new Map<string, Int16Array>();

/** Returns a loop of a background sound at full volume. It is rendered once for each rate. */
export function renderAmbience(name: AmbientSound['name'], rate: number): Int16Array {
  const key = `${name} ${String(rate)}`;
  let loop = loops.get(key);
  if (!loop) {
    loop =
      rate === renderedRate
        ? recipes[name](new SoundLoop(rate)).render(loudness)
        : stretch(renderAmbience(name, renderedRate), rate / renderedRate);
    loops.set(key, loop);
  }
  return loop;
}

/** Interpolates a loop to a higher rate. */
function stretch(loop: Int16Array, factor: number): Int16Array {
  return new Int16Array(Math.round(loop.length * factor)).map((_, index) => {
    const position = index / factor;
    const before = Math.floor(position);
    const [one = 0, other = 0] = [loop[before % loop.length], loop[(before + 1) % loop.length]];
    return Math.round(one + (other - one) * (position - before));
  });
}

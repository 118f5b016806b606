/** A usable offer. */
export interface Offer {
  /** The offer without candidates: the browser connects to this process, which never sends first. */
  sdp: string;
  codec: 'opus' | 'PCMU' | 'PCMA';
}

const maxLength = 32_768;
const maxLines = 1000;

/** Reads a browser's offer. Returns the reason as a sentence if it cannot be answered. */
export function readOffer(sdp: string): Offer | string {
  if (sdp.length > maxLength) return `The offer is longer than ${maxLength} characters.`;
  const lines = sdp.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length > maxLines) return `The offer has more than ${maxLines} lines.`;
  if (lines[0] !== 'v=0' || lines.some((line) => !/^[a-z]=[\x20-\x7e]*$/.test(line))) {
    return 'The offer is not a session description (SDP).';
  }
  const [session = [], ...media] = sectionsOf(lines);
  const audio = media.filter(([line = '']) => line.startsWith('m=audio '));
  const channels = media.filter(([line = '']) => line.startsWith('m=application '));
  if (audio.length !== 1) return 'The offer must have one audio track.';
  if (channels.length !== 1) return 'The offer must have one data channel.';
  if (media.length !== 2) return 'The offer must have an audio track and a data channel, and nothing else.';
  const [track = []] = audio;
  const problem = checkAudio(track) ?? checkTransport(session, media);
  if (problem !== undefined) return problem;
  const codec = (['opus', 'PCMU', 'PCMA'] as const).find((name) => offersCodec(track, name));
  if (!codec) return 'The offer has none of the audio codecs Opus, PCMU and PCMA.';
  const kept = [session, ...media]
    .flat()
    .filter((line) => !line.startsWith('a=candidate:') && line !== 'a=end-of-candidates');
  return { sdp: `${kept.join('\r\n')}\r\n`, codec };
}

/** Returns the lines of the session, then of each media section. */
function sectionsOf(lines: readonly string[]): string[][] {
  const sections: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

function checkAudio(track: readonly string[]): string | undefined {
  const isRefused = track[0]?.split(' ')[1] === '0';
  const isOneWay = track.some((line) => ['a=sendonly', 'a=recvonly', 'a=inactive'].includes(line));
  return isRefused || isOneWay ? 'The audio track must be sent and received (sendrecv).' : undefined;
}

function checkTransport(session: readonly string[], media: readonly (readonly string[])[]) {
  const [, ...bundled] = valueOf(session, 'group')?.split(' ') ?? [];
  const mids = media.map((section) => valueOf(section, 'mid') ?? '');
  if (
    new Set(mids).size !== mids.length ||
    !mids.every((mid) => /^\S{1,16}$/.test(mid) && bundled.includes(mid))
  ) {
    return 'The audio track and the data channel of the offer must be bundled.';
  }
  const needed: [name: string, pattern: RegExp][] = [
    ['ice-ufrag', /^[\w+/]{4,256}$/],
    ['ice-pwd', /^[\w+/]{22,256}$/],
    ['fingerprint', /^sha-(256|384|512) [\dA-F:]+$/i],
    ['setup', /^(actpass|active|passive)$/],
  ];
  for (const [name, pattern] of needed) {
    for (const section of media) {
      const value = valueOf(section, name) ?? valueOf(session, name) ?? '';
      if (!pattern.test(value)) return `The offer has no valid line "a=${name}".`;
    }
  }
  return undefined;
}

/** Returns the value of the first attribute with a name. */
function valueOf(section: readonly string[], name: string): string | undefined {
  const prefix = `a=${name}:`;
  return section.find((line) => line.startsWith(prefix))?.slice(prefix.length);
}

function offersCodec(track: readonly string[], name: Offer['codec']): boolean {
  const mapped = track.some((line) => new RegExp(`^a=rtpmap:\\d+ ${name}/`, 'i').test(line));
  const staticType = { opus: undefined, PCMU: '0', PCMA: '8' }[name];
  const types = track[0]?.split(' ').slice(3) ?? [];
  return mapped && (staticType === undefined || types.includes(staticType));
}

import { ChatError } from './chat-error.ts';

/** Maximum number of challenges for one request: another tab's message makes a solved one obsolete. */
const maxChallenges = 3;

/**
 * Sends a request. If the service requires a proof of work, solves its challenge and sends the request again.
 *
 * @throws the error of the request, also if its challenge has no solution
 */
export async function withProof<Answer>(
  send: (proof: string | undefined) => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  let proof: string | undefined;
  for (let challenges = 0; ; challenges++) {
    try {
      return await send(proof);
    } catch (error) {
      if (!(error instanceof ChatError) || error.challenge === undefined || challenges === maxChallenges)
        throw error;
      const solver = await import('./solve-challenge.ts').catch(() => undefined);
      proof = await solver?.solveChallenge(error.challenge, signal);
      if (proof === undefined && !signal?.aborted) throw error;
    }
  }
}

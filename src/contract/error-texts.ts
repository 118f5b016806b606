import { recognizedErrorTexts } from './error-body.ts';

/**
 * The error texts that the interface specifies, by error code. A file of its own, so that browsers load only those that
 * they recognize.
 */
export const errorTexts = {
  ...recognizedErrorTexts,
  'conversation-ended': 'Conversation has ended',
  'insufficient-balance': 'Insufficient balance. Please top up your account.',
  /** Ours. The body also has `proof_of_work`. */
  'proof-required': 'Proof of work required.',
  unauthenticated: 'Unauthenticated.',
} as const;

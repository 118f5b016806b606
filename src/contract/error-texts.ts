import { recognizedErrorTexts } from './error-body.ts';

/** The error texts that the interface specifies. A file of its own, so that browsers load only those that they recognize. */
export const errorTexts = {
  ...recognizedErrorTexts,
  conversationEnded: 'Conversation has ended',
  insufficientBalance: 'Insufficient balance. Please top up your account.',
  /** Ours. The body also has `proof_of_work`. */
  proofRequired: 'Proof of work required.',
  unauthenticated: 'Unauthenticated.',
} as const;

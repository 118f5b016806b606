import * as z from 'zod/mini';
import { Message, timestamp } from './answer-fields.ts';
import { ownerEndpoint } from './owner-endpoint.ts';

/* Tokens that prove who opens a conversation, as `user_token` of `POST /conversations`. Our addition. */

/** Names of variables that only a verified user token sets. */
const verifiedName = /^\s*verified\./i;

/** Whether a variable's name is reserved for the claims of user tokens. */
export const isVerifiedName = (name: string): boolean => verifiedName.test(name);

/** Response of `POST /user/assistants/{id}/preview-token`. */
export const PreviewToken = z.looseObject({ token: z.string(), expires_at: timestamp });

/** Body of `POST /user/assistants/{id}/user-token-secret`. */
export const UserTokenSecretRequest = z.object({
  /** An Ed25519 public key, as PEM text (SPKI) or as a JWK. Without it, a secret for HS256 is created. */
  public_key: z.nullish(z.union([z.string().check(z.maxLength(1000)), z.record(z.string(), z.json())])),
});

/** Response of `POST /user/assistants/{id}/user-token-secret`. */
export const UserTokenSecret = z.looseObject({
  algorithm: z.enum(['HS256', 'EdDSA']),
  /** The secret of HS256, returned only here; null with a public key. */
  secret: z.nullable(z.string()),
});
export type UserTokenSecret = z.infer<typeof UserTokenSecret>;

export const createPreviewToken = ownerEndpoint({
  summary:
    'Creates a token that proves, for one hour, that conversations of type test with this assistant are its owner’s. Our addition.',
  method: 'POST',
  path: '/api/user/assistants/:id/preview-token',
  scope: 'write',
  changes: 'assistant',
  response: PreviewToken,
  success: 201,
});

export const createUserTokenSecret = ownerEndpoint({
  summary:
    'Creates the secret that user tokens of the assistant are signed with, or sets a public key that verifies them. Replaces the previous one. Our addition.',
  method: 'POST',
  path: '/api/user/assistants/:id/user-token-secret',
  scope: 'write',
  changes: 'assistant',
  request: UserTokenSecretRequest,
  response: UserTokenSecret,
  success: 201,
});

export const deleteUserTokenSecret = ownerEndpoint({
  summary: 'Deletes the secret or public key of user tokens: all of them are refused then. Our addition.',
  method: 'DELETE',
  path: '/api/user/assistants/:id/user-token-secret',
  scope: 'write',
  changes: 'assistant',
  response: Message,
});

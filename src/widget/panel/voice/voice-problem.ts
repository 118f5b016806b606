/** Why speech or dictation failed: the key of the error text. */
export type VoiceProblem = 'impossible' | 'noMicrophone' | 'notUnderstood';

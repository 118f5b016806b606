/** Why speech or dictation failed: the key of the text that says so. */
export type VoiceTrouble = 'impossible' | 'noMicrophone' | 'notUnderstood';

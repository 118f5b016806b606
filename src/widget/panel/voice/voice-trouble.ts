/** Why speaking or listening did not work; the key of the text that says so. */
export type VoiceTrouble = 'impossible' | 'noMicrophone' | 'notUnderstood';

/** Receives the speech of both sides of a line as it happens, to display it. */
export interface SpeechListener {
  onCustomerSpeaking(): void;
  onCustomerPaused(): void;
  /** Provisional transcript of the current utterance. The next one replaces it. */
  onProvisional(text: string): void;
  /** Final transcript of the utterance; empty if nothing was understood. */
  onCustomerSaid(text: string): void;
  /** The assistant starts to say this text, which follows the previous one. */
  onAssistantSaying(text: string): void;
  /** The assistant pauses because the customer may be interrupting it. */
  onAssistantPaused(): void;
  /** The assistant resumes: the customer did not interrupt it. */
  onAssistantResumed(): void;
  /** The assistant has stopped speaking. `played` is the text that was played, shortened if it was cut off. */
  onAssistantSaid(played: string, isCutOff: boolean): void;
}

/** Is told what is said on a line while it is said, to show it. */
export interface SpeechListener {
  onCustomerSpeaking(): void;
  onCustomerPaused(): void;
  /** What the customer has said so far. The next text replaces it. */
  onProvisional(text: string): void;
  /** What the customer has said in the end; empty if nothing was understood. */
  onCustomerSaid(text: string): void;
  /** The assistant begins to say these words, after those before. */
  onAssistantSaying(text: string): void;
  /** The assistant falls silent for a moment, since the customer may be interrupting it. */
  onAssistantPausing(): void;
  /** The assistant continues to speak: the customer did not interrupt it. */
  onAssistantContinuing(): void;
  /** The assistant has stopped speaking: what was heard, which is less than it was to say if it was cut off. */
  onAssistantSaid(heard: string, isCutOff: boolean): void;
}

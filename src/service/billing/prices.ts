/** USD for one user message in a conversation of type `widget` (interface: "Limits", Billing). A `test` costs nothing. */
export const widgetMessagePrice = '0.01';

/** USD for a started minute of a call that was answered: what the carrier takes. */
export const carrierMinutePrice = '0.05';

/** USD for a started minute of such a call: what the assistant's models take, by its mode. */
export const modelMinutePrices = { pipeline: '0.05', multimodal: '0.10', dualplex: '0.12' } as const;

/** USD for a started minute with an assistant of that mode, all fees. */
export const callMinutePrice = (mode: keyof typeof modelMinutePrices): string =>
  (Number(carrierMinutePrice) + Number(modelMinutePrices[mode])).toFixed(2);

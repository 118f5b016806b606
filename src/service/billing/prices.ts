/** USD per user message in a conversation of type `widget` (interface: "Limits", Billing). `test` is free. */
export const widgetMessagePrice = '0.01';

/** USD per started minute of an answered call: the carrier's fee. */
export const carrierMinutePrice = '0.05';

/** USD per started minute of an answered call: the models' fee, by mode. */
const modelMinutePrices = { pipeline: '0.05', multimodal: '0.10', dualplex: '0.12' } as const;

/** USD per started minute of an answered call, including all fees. */
export const callMinutePrice = (mode: keyof typeof modelMinutePrices): string =>
  (Number(carrierMinutePrice) + Number(modelMinutePrices[mode])).toFixed(2);

/** USD per started minute of a web call: no carrier takes part, so only the models' fee. */
export const webCallMinutePrice = (mode: keyof typeof modelMinutePrices): string => modelMinutePrices[mode];

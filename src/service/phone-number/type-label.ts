const labels = { normal: 'Dedicated', sip: 'SIP', caller_id: 'Caller ID' } as const;

/** The display label of a phone number's type. */
export const typeLabel = (type: keyof typeof labels): string => labels[type];

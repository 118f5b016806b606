const labels = { normal: 'Dedicated', sip: 'SIP', caller_id: 'Caller ID' } as const;

/** The kind of a phone number as people read it. */
export const typeLabel = (type: keyof typeof labels): string => labels[type];

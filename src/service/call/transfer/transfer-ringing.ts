/** Ringing time of a transfer, in seconds. */
export const transferRinging = 30;

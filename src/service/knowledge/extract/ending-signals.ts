/** Sent to all processes of the service to end it: by Ctrl+C, by systemd, by closing the terminal. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A process that reads documents sends it to itself when it has used its processor time. It leaves no core dump. */
export const outOfTime = 'SIGVTALRM';

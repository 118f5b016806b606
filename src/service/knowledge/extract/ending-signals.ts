/** Sent to all processes of the service to end it: by Ctrl+C, by systemd, by closing the terminal. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

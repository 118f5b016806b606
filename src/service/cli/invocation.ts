/**
 * How the operator calls this program, for the commands that it prints: in a checkout, by npx, or as systemd and
 * containers do.
 */
export const invocation = import.meta.filename.endsWith('.ts')
  ? 'npx node src/service/cli.ts'
  : invocationOf(process.argv[1]);

/** @param program the path of the program, which is that of a link if npx runs it. */
function invocationOf(program = ''): string {
  // Options of Node name the file with the settings, as with systemd.
  return program.endsWith('.js')
    ? ['node', ...process.execArgv, program].join(' ')
    : 'npx voice-assistant-chat-service';
}

/** What the parts say that load when they are first needed; it comes with them. */
export const enLate = {
  newMessages: 'New messages',
  unread: { one: '{count} unread message', other: '{count} unread messages' },

  copyMessage: 'Copy message',
  helpful: 'Helpful',
  notHelpful: 'Not helpful',
  newTab: 'opens in a new tab',
  suggestions: 'Suggested answers',

  copyTranscript: 'Copy transcript',
  print: 'Print',
  downloadText: 'Download as text',
  downloadJson: 'Download as JSON',
  sound: 'Sound',
  forget: 'Delete conversation',
  forgetQuestion: 'Delete this conversation for good?',
  delete: 'Delete',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  resize: 'Resize chat',

  person: 'A person answers here now.',

  startChat: 'Start chat',
  optional: 'optional',
  required: 'Fill in this field.',
  invalid: 'Check this entry.',

  dictate: 'Dictate',
  stopDictating: 'Stop dictating',
  listening: 'Listening…',
  readAloud: 'Read aloud',
  stopReading: 'Stop reading',
  noVoice: 'This browser cannot do that.',
  noMicrophone: 'The microphone is blocked. Allow it in the browser’s settings.',
  notUnderstood: 'Nothing was understood. Try again.',

  used: 'Used: {name}',
  toolQuestion: 'May the assistant run “{name}” on this page?',
  allow: 'Allow',
  deny: 'Don’t allow',
  toolDone: '“{name}” was run.',
  toolDenied: '“{name}” was not allowed.',
  toolFailed: '“{name}” failed.',
} as const;

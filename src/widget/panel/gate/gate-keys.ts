import type { Conversation } from '../../conversation/conversation.ts';

/** Storage key of the visitor's consent. */
export const consentKey = 'voice-assistant-chat:consent';

/** Storage key of the entries in the form, until the conversation opens. They belong to the conversation's visitor. */
export const formKey = ({ environment }: Conversation): string =>
  `voice-assistant-chat:form:${environment.store.name}`;

/** Storage keys of the visitor's consent, and of the answers until the conversation opens. */
export const consentKey = 'voice-assistant-chat:consent';
export const formKey = 'voice-assistant-chat:form';

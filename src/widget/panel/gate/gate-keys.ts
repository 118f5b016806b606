/** The entries of what a visitor agreed to, and of what they filled in until the conversation opens. */
export const consentKey = 'voice-assistant-chat:consent';
export const formKey = 'voice-assistant-chat:form';

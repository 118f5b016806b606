/** The ways to embed the chat. Each function returns the HTML for a service's origin and an assistant's UUID. */
export const embedTags = {
  'the short snippet': (url: string, assistant: string) =>
    `<script src="${url}/embed/${assistant}.js" async></script>`,
  'the classic script': (url: string, assistant: string) =>
    `<script src="${url}/embed.js" data-assistant-id="${assistant}" async></script>`,
  'the module and the element': (url: string, assistant: string) =>
    `<script src="${url}/voice-assistant-chat.js" type="module"></script>
     <voice-assistant-chat assistant-id="${assistant}"></voice-assistant-chat>`,
} as const;

export type EmbedTag = keyof typeof embedTags;

import * as z from 'zod/mini';

/**
 * How an assistant wants its widget to look. Any string may stand in any field, and the object may be missing or
 * hold other keys: what a reader cannot use becomes empty, and then falls back to a default.
 */
export const WidgetSettings = z.looseObject({
  /** `light`, `dark` or `auto` (`system` means the same). */
  theme: z.catch(z.string(), ''),
  /** Any CSS color, mostly hex. */
  color: z.catch(z.string(), ''),
  /** A corner, in either order (`right-bottom`, `bottom-right`), or a bare `left` or `right`. */
  position: z.catch(z.string(), ''),
});
export type WidgetSettings = z.infer<typeof WidgetSettings>;

/** Answer of `GET /assistants/{uuid}/widget`: what a page may know of an assistant before anyone chats. */
export const AssistantWidget = z.looseObject({
  status: z.literal(true),
  data: z.looseObject({
    name: z.catch(z.string(), ''),
    /** Two-letter code (ISO 639-1). */
    language: z.catch(z.string(), ''),
    widget_settings: z.catch(WidgetSettings, { theme: '', color: '', position: '' }),
  }),
});
export type AssistantWidget = z.infer<typeof AssistantWidget>;

/** The settings that a page may read before anyone chats. Cacheable, needs no key. */
export const readAssistantWidget = {
  method: 'GET',
  path: '/api/assistants/:uuid/widget',
  auth: 'none',
  response: AssistantWidget,
  statuses: [200, 304, 404, 429],
} as const;

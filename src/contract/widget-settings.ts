import * as z from 'zod/mini';
import { prepareSchemas } from './prepare-schemas.ts';

prepareSchemas();

/**
 * The appearance of an assistant's widget. Fields may be missing or hold any value; values that are not strings become
 * empty, and the widget falls back to its defaults.
 */
export const WidgetSettings = z.looseObject({
  /** `light`, `dark` or `auto` (`system` means the same). */
  theme: z.catch(z.string(), ''),
  /** Any CSS color, mostly hex. */
  color: z.catch(z.string(), ''),
  /** A corner, in either order (`right-bottom`, `bottom-right`), or only `left` or `right`. */
  position: z.catch(z.string(), ''),
});
export type WidgetSettings = z.infer<typeof WidgetSettings>;

/** Response of `GET /assistants/{uuid}/widget`: the public settings of an assistant. */
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

/** Returns the public settings of an assistant. Cacheable; requires no API key. */
export const readAssistantWidget = {
  method: 'GET',
  path: '/api/assistants/:uuid/widget',
  response: AssistantWidget,
} as const;

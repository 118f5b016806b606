import type { Described, ElementDescription } from './describe-element.ts';

/**
 * Types of the element in the templates of React, Preact, Solid, Vue and Svelte. Each extends the types of a framework
 * that may not be installed; `@ts-ignore` suppresses the error then, whatever the site's `skipLibCheck` is.
 */
export function frameworkTypes({ attributes, properties }: ElementDescription): string {
  const property = (key: string, { type, description }: Described, ...more: string[]): string => {
    const types = [...type.split(' | ').filter((one) => one !== 'null' && one !== 'undefined'), ...more];
    return `  /** ${description} */\n  '${key}'?: ${types.join(' | ')} | null | undefined;\n`;
  };
  const settable = (key: 'name' | 'property'): string =>
    attributes
      .map((attribute) => {
        if (attribute.isBoolean) return property(attribute[key], attribute, "''");
        // Scripts pass an object, HTML its JSON.
        if (attribute.name === 'variables') return property(attribute[key], attribute, 'string');
        return property(attribute[key], attribute);
      })
      .join('');
  const booleans = attributes.flatMap(({ isBoolean, name }) => (isBoolean ? [`'${name}'`] : [])).join(' | ');
  return `import type { ChatEventMap, FormField, PageTool, Texts, VoiceAssistantChat } from './element.js';

/** The attributes of \`<voice-assistant-chat>\`. */
export interface VoiceAssistantChatAttributes {
${settable('name')}}

/** The properties of \`<voice-assistant-chat>\`. */
export interface VoiceAssistantChatProperties {
${settable('property')}${properties.map((described) => property(described.name, described)).join('')}}

type BooleanAttribute = ${booleans};

type Own = VoiceAssistantChatAttributes & VoiceAssistantChatProperties;

/** Listeners with a prefix: \`onchat-open\`, \`on:chat-open\`. */
type Listeners<Prefix extends string> = {
  [Name in keyof ChatEventMap as \`\${Prefix}\${Name}\`]?:
    | ((event: ChatEventMap[Name] & { currentTarget: VoiceAssistantChat }) => void)
    | undefined;
};

/** A framework's attributes of any element, without those that the chat types itself. */
type Rest<Attributes> = Omit<Attributes, keyof Own>;

// @ts-ignore -- React may not be installed.
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      // @ts-ignore -- React may not be installed.
      'voice-assistant-chat': Own & Listeners<'on'> & Rest<import('react').HTMLAttributes<VoiceAssistantChat>> & import('react').RefAttributes<VoiceAssistantChat> & { class?: string | undefined };
    }
  }
}

// @ts-ignore -- Preact may not be installed.
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      // @ts-ignore -- Preact may not be installed.
      'voice-assistant-chat': Own & Listeners<'on'> & Rest<Omit<import('preact').JSX.IntrinsicElements['div'], 'ref'>> & { ref?: import('preact').Ref<VoiceAssistantChat> | undefined };
    }
  }
}

/** Solid sets properties as \`prop:name\`, attributes as \`attr:name\`, and boolean attributes as \`bool:name\`, too. */
type SolidProperties = {
  [Name in keyof VoiceAssistantChatProperties as \`prop:\${Name}\`]?: VoiceAssistantChatProperties[Name];
} & {
  [Name in keyof VoiceAssistantChatAttributes as \`attr:\${Name}\`]?: VoiceAssistantChatAttributes[Name];
} & {
  [Name in BooleanAttribute as \`bool:\${Name}\`]?: boolean | undefined;
};

// @ts-ignore -- Solid may not be installed.
declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      // @ts-ignore -- Solid may not be installed.
      'voice-assistant-chat': Own & Listeners<'on:'> & SolidProperties & Rest<import('solid-js').JSX.HTMLAttributes<VoiceAssistantChat>>;
    }
  }
}

// @ts-ignore -- Vue may not be installed.
declare module 'vue' {
  interface GlobalComponents {
    // @ts-ignore -- Vue may not be installed.
    'voice-assistant-chat': new () => VoiceAssistantChat & { $props: Own & Rest<import('vue').HTMLAttributes> & import('vue').VNodeProps & import('vue').AllowedComponentProps; $emit: import('vue').EmitFn<{ [Name in keyof ChatEventMap]: (event: ChatEventMap[Name]) => void }> };
  }
}

// @ts-ignore -- Svelte may not be installed.
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    // @ts-ignore -- Svelte may not be installed.
    'voice-assistant-chat': Own & Listeners<'on' | 'on:'> & Rest<import('svelte/elements').HTMLAttributes<VoiceAssistantChat>>;
  }
}
`;
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import ts from 'typescript';
import { siteWithPackage, type Site } from './installed-package.ts';

interface Stack {
  packages: readonly string[];
  options?: ts.CompilerOptions;
  /** Paths in the site, by the module that each stands for. */
  aliases?: Readonly<Record<string, string>>;
  file: string;
  /** Uses everything that the types allow. */
  valid: string;
  /** Statements or elements that must be refused. */
  invalid: readonly string[];
  /** Puts one of them into a file. */
  wrap: (invalid: string) => string;
}

const imports = `import 'voice-assistant-chat';
interface Customer { first_name: string; orders: number }
const customer: Customer = { first_name: 'Ada', orders: 3 };
const theme = Math.random() < 0.5 ? 'dark' : 'auto';
declare const position: 'left-bottom' | 'right-top';
`;
const strings = `assistant-id="x" base-url="https://service.example" type="test" inline class="chat" id="chat"`;
const jsx = `${strings} theme={theme} position={position} variables={customer} keep-days={7} teaser-delay={2.5}
  teaserDelay={3} suggestions={['Hello']} tools={[{ name: 'find', description: 'Finds', run: () => 1 }]} open={false}
  form={[{ name: 'email', label: 'E-mail', type: 'email' }]} messages={{ chat: 'Ask' }}`;
const refused = [
  'theme="dim"',
  'keep-days={true}',
  'type="toast"',
  'variables={3}',
  'suggestions="Hello"',
  'subject="Hello"',
  // It would be no value, which offers calls.
  'voice={false}',
];
/** @param ref declares the ref `chat`. */
const jsxCase = (
  event: string,
  ref: string,
  more = '',
): Pick<Stack, 'file' | 'valid' | 'invalid' | 'wrap'> => ({
  file: 'app.tsx',
  valid: `${imports}import type { VoiceAssistantChat } from 'voice-assistant-chat';
  ${ref}
  export const app = <voice-assistant-chat ref={chat} ${jsx} ${more} ${event}={(event) => {
    const text: string = event.detail.text;
    event.currentTarget.hide();
    return void text;
  }}><p slot="notice">Hello</p></voice-assistant-chat>;`,
  invalid: [...refused, `${event}={(event: CustomEvent<{ text: number }>) => void event}`],
  wrap: (attribute) => `${imports}export const app = <voice-assistant-chat ${attribute} />;`,
});
const refOf = (hooks: string): string => `import { useRef } from '${hooks}';
  const chat = useRef<VoiceAssistantChat>(null);
  chat.current?.send('Hello');`;
const options = (jsxImportSource: string): ts.CompilerOptions => ({
  jsx: jsxImportSource === 'solid-js' ? ts.JsxEmit.Preserve : ts.JsxEmit.ReactJSX,
  jsxImportSource,
});

const stacks: Record<string, Stack> = {
  React: {
    packages: ['@types/react', '@types/react-dom', 'csstype'],
    options: options('react'),
    ...jsxCase('onchat-message', refOf('react')),
  },
  'the React component': {
    packages: ['@types/react', '@types/react-dom', 'csstype'],
    options: options('react'),
    file: 'app.tsx',
    valid: `${imports}import { useRef } from 'react';
      import { VoiceAssistantChat, type ChatEventMap, type FormField, type PageTool, type Position, type Texts,
        type VoiceAssistantChatElement } from 'voice-assistant-chat/react';
      const fields: FormField[] = [{ name: 'email', label: 'E-mail', type: 'email' }];
      const tools: PageTool[] = [{ name: 'find', description: 'Finds', run: () => 1 }];
      const texts: Partial<Texts> = { send: 'Ask' };
      const place: Position = position;
      export function App() {
        const chat = useRef<VoiceAssistantChatElement>(null);
        chat.current?.send('Hello');
        const onMessage = ({ detail }: ChatEventMap['chat-message']) => detail.text.trim();
        return <VoiceAssistantChat ref={chat} assistantId="x" theme={theme} position={place} variables={customer}
          form={fields} tools={tools} messages={texts} keepDays={7} inline className="chat" onChatMessage={onMessage}>
          <p slot="notice">Hello</p></VoiceAssistantChat>;
      }`,
    invalid: [
      'theme="dim"',
      'variables={3}',
      'onChatMessage={(event: CustomEvent<{ text: number }>) => void event}',
    ],
    wrap: (attribute) =>
      `import { VoiceAssistantChat } from 'voice-assistant-chat/react'; export const app = <VoiceAssistantChat ${attribute} />;`,
  },
  Preact: {
    packages: ['preact'],
    options: options('preact'),
    ...jsxCase('onchat-message', refOf('preact/hooks')),
  },
  // As in the projects that Vite creates.
  'Preact with preact/compat in the place of React': {
    packages: ['preact'],
    options: options('preact'),
    aliases: { react: 'node_modules/preact/compat/' },
    ...jsxCase('onchat-message', refOf('react')),
  },
  Solid: {
    packages: ['solid-js', 'csstype'],
    options: options('solid-js'),
    ...jsxCase(
      'on:chat-message',
      "let chat: VoiceAssistantChat | undefined; export const send = () => chat?.send('Hello');",
      'bool:inline={customer.orders > 2} bool:open={undefined}',
    ),
  },
  Svelte: {
    packages: ['svelte', '@types/estree', 'magic-string', '@jridgewell'],
    file: 'app.ts',
    valid: `${imports}import type { SvelteHTMLElements } from 'svelte/elements';
      export const props: SvelteHTMLElements['voice-assistant-chat'] = {
        'assistant-id': 'x', theme, position, variables: customer, 'keep-days': 7, class: 'chat',
        'onchat-message': (event) => event.detail.text.trim() };`,
    invalid: [
      "theme: 'dim'",
      'variables: 3',
      "'onchat-message': (event: CustomEvent<{ text: number }>) => void event",
    ],
    wrap: (property) => `import 'voice-assistant-chat';
      import type { SvelteHTMLElements } from 'svelte/elements';
      export const props: SvelteHTMLElements['voice-assistant-chat'] = { ${property} };`,
  },
  Vue: {
    packages: ['vue', '@vue', 'csstype', '@babel'],
    file: 'app.ts',
    valid: `${imports}import type { GlobalComponents } from 'vue';
      type Chat = InstanceType<GlobalComponents['voice-assistant-chat']>;
      export const props: Partial<Chat['$props']> = {
        assistantId: 'x', 'base-url': 'https://service.example', theme, position, variables: customer, class: 'chat' };
      export const emit = (chat: Chat, event: CustomEvent<{ text: string; latency: number | undefined }>) =>
        chat.$emit('chat-message', event);`,
    invalid: ["theme: 'dim'", 'variables: 3', 'suggestions: 1'],
    wrap: (property) => `import 'voice-assistant-chat';
      import type { GlobalComponents } from 'vue';
      export const props: InstanceType<GlobalComponents['voice-assistant-chat']>['$props'] = { ${property} };`,
  },
  'a page without a framework': {
    packages: [],
    file: 'app.ts',
    valid: `import 'voice-assistant-chat/element';
      import type { ChatEventMap, FormField, PageTool, Position, Texts, VoiceAssistantChat } from 'voice-assistant-chat';
      import { ChatClient, type ChatError, type FunctionCall } from 'voice-assistant-chat/client';
      import { createApiClient } from 'voice-assistant-chat/api';
      interface Customer { first_name: string; company?: string | undefined }
      declare const customer: Customer;
      const chat: VoiceAssistantChat = document.createElement('voice-assistant-chat');
      const fields: FormField[] = [{ name: 'email', label: 'E-mail', type: 'email' }];
      const tools: PageTool[] = [{ name: 'find', description: 'Finds', run: ({ code }) => String(code) }];
      const texts: Partial<Texts> = { send: 'Ask' };
      const place: Position = 'left-bottom';
      chat.form = fields;
      chat.tools = tools;
      chat.messages = texts;
      chat.position = place;
      export const onMessage = ({ detail }: ChatEventMap['chat-message']): string => detail.text;
      chat.variables = customer;
      chat.teaserDelay = 3;
      chat.keepDays = '7';
      chat.theme = 'dark';
      chat.addEventListener('chat-message', ({ detail }) => { const text: string = detail.text; void text; });
      document.addEventListener('chat-error', ({ detail }) => { const code: string = detail.code; void code; });
      const client = new ChatClient({ baseUrl: 'https://service.example' });
      export const answer: Promise<string> = client.sendMessage('x', 'Hello').then(({ message }) => message);
      export const code = (error: ChatError) => error.code === 'offline' as string;
      // Environment variables and options of a caller may be undefined.
      declare const missing: undefined;
      const api = createApiClient({ baseUrl: 'https://service.example', apiKey: missing, timeout: missing });
      void api.listAllAssistants({}, { signal: missing, idempotencyKey: missing });
      void api.listLeads({ query: missing });
      const other = new ChatClient({ baseUrl: '', timeout: missing, answerTimeout: missing });
      void other.streamMessage('x', 'Hello', { onDelta: missing, onFunctionCall: missing }, {
        clientTools: [
          { name: 'find', description: 'Finds', parameters: missing },
          { name: 'open', description: 'Opens', parameters: [
            { name: 'page', type: 'string', description: missing, required: missing }] },
        ],
      });
      chat.tools = [{ name: 'find', description: 'Finds', title: missing, safe: missing, parameters: missing, run: () => 1 },
        { name: 'open', description: 'Opens', run: () => 1, parameters: [
          { name: 'page', type: 'string', description: 'Which', required: missing, title: missing }] }];
      chat.form = [{ name: 'email', label: 'E-mail', type: missing, required: missing, options: missing, autocomplete: missing }];
      // Interfaces have no index signature, and JSON omits undefined values.
      void client.openConversation({ assistant_id: 'x', variables: customer });
      void client.sendMessage('x', 'Hello', { variables: customer });
      void api.openConversation({ body: { assistant_id: 'x', variables: { first_name: missing } } });
      void api.createLead({ body: { phone_number: '+491701234567', campaign_id: 1, variables: customer } });
      export const calls: Promise<FunctionCall[]> = client.sendMessage('x', 'Hello').then((answer) => answer.function_calls);
      export const results: Promise<unknown[]> = client
        .resumeConversation('x')
        .then(({ history }) => history.flatMap((item) => item.function_calls.map(({ result, client }) => client && result)));
      export const names: Promise<string[]> = api.listAllAssistants().then((all) => all.map(({ name }) => name));
      export const limits: Promise<(number | null)[]> = api
        .listAllAssistants()
        .then((all) => all.map(({ max_concurrent_web_calls }) => max_concurrent_web_calls));
      void api.updateAssistant({ id: 1, body: { max_web_call_minutes_per_day: null } });`,
    invalid: [
      "chat.theme = 'dim';",
      "chat.variables = 'Ada';",
      "chat.addEventListener('chat-message', ({ detail }) => detail.txt);",
      'void api.createAssistant({ body: { name: 3 } });',
      "void api.updateAssistant({ id: 1, body: { max_concurrent_web_calls: 'few' } });",
      "void client.sendMessage('x', 3);",
      "void client.sendMessage('x', 'Hello', { variables: 'Ada' });",
      "void api.openConversation({ body: { assistant_id: 'x', variables: 'Ada' } });",
    ],
    wrap: (statement) => `import 'voice-assistant-chat/element';
      import { ChatClient } from 'voice-assistant-chat/client';
      import { createApiClient } from 'voice-assistant-chat/api';
      const chat = document.createElement('voice-assistant-chat');
      const client = new ChatClient({ baseUrl: 'https://service.example' });
      const api = createApiClient({ baseUrl: 'https://service.example', apiKey: 'key' });
      ${statement}
      export { chat, client, api };`,
  },
};

/** The errors in files of a site, and in the package's declarations, by the file's name. */
function check(
  site: Site,
  { options, aliases = {} }: Stack,
  files: readonly string[],
): Map<string, string[]> {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    preserveSymlinks: true,
    paths: Object.fromEntries(
      Object.entries(aliases).map(([name, path]) => [name, [join(site.folder, path)]]),
    ),
    ...options,
  });
  const errors = new Map<string, string[]>();
  for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = (file?.fileName ?? '').replace(`${site.folder}/`, '');
    // Errors in the declarations of other packages are not ours.
    if (/node_modules\/(?!voice-assistant-chat\/)/.test(name)) continue;
    errors.set(name, [...(errors.get(name) ?? []), ts.flattenDiagnosticMessageText(messageText, '\n')]);
  }
  return errors;
}

/** The same with the element's class alone. */
const fromElement = (text: string) =>
  text.replaceAll(/(import|from) 'voice-assistant-chat'/g, "$1 'voice-assistant-chat/element'");
for (const name of ['React', 'Preact', 'Solid', 'Svelte', 'Vue']) {
  const stack = stacks[name];
  assert.ok(stack);
  stacks[`${name}, by /element`] = {
    ...stack,
    valid: fromElement(stack.valid),
    wrap: (invalid) => fromElement(stack.wrap(invalid)),
  };
}

// A type that does not exist makes those of the element `any`, since the errors are ignored.
it('the types for React and Preact exist, also in preact/compat in the place of React', () => {
  const stack = stacks['Preact with preact/compat in the place of React'];
  assert.ok(stack);
  const site = siteWithPackage(stack.packages);
  const path = 'node_modules/voice-assistant-chat/dist/npm/frameworks.d.ts';
  const types = readFileSync(join(site.folder, path), 'utf8');
  const isMissing = (text: string) => text.includes('has no exported member');
  const errors = check(site, stack, [
    site.write(stack.file, stack.valid),
    site.write(path, types.replaceAll(/^ +\/\/ @ts-ignore.*\n/gm, '')),
  ]);
  site.remove();
  // Other errors are expected without the comments, since both frameworks declare the element.
  assert.ok(errors.has(path));
  assert.deepEqual(errors.get(path)?.filter(isMissing), []);
});

for (const [name, stack] of Object.entries(stacks)) {
  describe(`the types for ${name}`, () => {
    const site = siteWithPackage(stack.packages);
    after(() => {
      site.remove();
    });
    const invalid = stack.invalid.map((part, index) => ({ part, file: `invalid-${index}-${stack.file}` }));
    const errors = check(site, stack, [
      site.write(stack.file, stack.valid),
      ...invalid.map(({ part, file }) => site.write(file, stack.wrap(part))),
    ]);

    it('accept attributes, properties and events, also with skipLibCheck off', () => {
      const unexpected = [...errors].filter(([file]) => !file.startsWith('invalid-'));
      assert.deepEqual(unexpected, []);
    });

    for (const { part, file } of invalid) {
      it(`refuse ${part}`, () => {
        assert.ok(errors.has(file), `${file} has no error`);
      });
    }
  });
}

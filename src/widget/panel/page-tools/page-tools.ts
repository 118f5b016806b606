import type { PageTool } from '../../page-tool.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/snapshot.ts';
import { english, fill, type Texts } from '../../texts/texts.ts';
import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { focusPanel } from '../focus-panel.ts';
import { Claims } from './claims.ts';
import { declareTools, validTools } from './declare-tools.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';
import { toolRequests, type Consent, type ToolCall } from './tool-requests.ts';
import { titleOf } from './tool-title.ts';

/** Lets the assistant call page tools, with the visitor's consent. */
export function start(panel: PanelContext): AddOn {
  return new PageTools(panel);
}

class PageTools implements AddOn {
  readonly #panel: PanelContext;
  /** The calls by message, in order; those of an earlier visit only for the last message. */
  readonly #calls = new Map<string, readonly ToolCall[]>();
  readonly #rendered = new WeakMap<
    readonly ToolCall[],
    { locale: unknown; canContinue: boolean; view: unknown }
  >();
  /** The message whose results wait for the visitor's next one, and how many messages the visitor had sent by then. */
  #waiting: { readonly key: string; readonly sent: number } | undefined;
  /** The last message with calls, which another tab may answer too, and how many messages had been sent by then. */
  #latest: { readonly key: string; readonly sent: number } | undefined;
  #conversationId: string | undefined;
  readonly #claims = new Claims();
  #controller = new AbortController();
  #offered: unknown;
  #valid = validTools(undefined);
  readonly #live = document.createElement('div');

  constructor(panel: PanelContext) {
    this.#panel = panel;
    this.#live.className = 'visually-hidden';
    this.#live.role = 'status';
    panel.host.root.append(this.#live);
  }

  readonly tools = () => (this.#tools.size > 0 ? declareTools(this.#tools) : undefined);

  readonly conversationChanged = (conversation: Conversation): void => {
    const { conversationId, messages } = conversation.snapshot;
    if (conversationId !== this.#conversationId) {
      if (this.#conversationId !== undefined) this.stop();
      this.#calls.clear();
      this.#waiting = this.#latest = undefined;
      this.#conversationId = conversationId;
      this.#restore(messages.at(-1));
    }
    this.#adoptOutcomes();
    // The streaming message is at the end, or before pending ones.
    for (const message of messages.slice(-8)) this.#addCalls(message);
  };

  readonly below = (message: Message): unknown => {
    const calls = this.#calls.get(message.key);
    const { locale } = this.#panel;
    if (calls === undefined || locale === undefined) return undefined;
    const rendered = this.#rendered.get(calls);
    const canContinue = this.#canContinue(message.key);
    if (rendered?.locale === locale && rendered.canContinue === canContinue) return rendered.view;
    const onContinue = canContinue ? this.#continueReply : undefined;
    const view = toolRequests(calls, locale, { decide: this.#decide, onContinue });
    this.#rendered.set(calls, { locale, canContinue, view });
    return view;
  };

  readonly pageToolCalls = ({ key }: Message): readonly ToolCall[] | undefined => this.#calls.get(key);

  /** Calls that are still running count as failed. */
  readonly stop = (): void => {
    this.#controller.abort();
    this.#controller = new AbortController();
  };

  get #tools(): ReadonlyMap<string, PageTool> {
    const { tools } = this.#panel.host.element;
    if (tools !== this.#offered) {
      this.#offered = tools;
      this.#valid = validTools(tools);
    }
    return this.#valid;
  }

  #addCalls(message: Message): void {
    const { key, status, timing } = message;
    if (status !== 'streaming' && timing === undefined) return;
    const before = this.#calls.get(key) ?? [];
    const calls = this.#callsOf(message).slice(before.length);
    if (calls.length === 0) return;
    this.#calls.set(key, [...before, ...calls]);
    const { conversation } = this.#panel;
    this.#latest = { key, sent: this.#sent };
    // The outcomes of earlier messages' calls were sent, or are obsolete.
    if (before.length === 0 && conversation.snapshot.choices?.toolOutcomes)
      conversation.choose({ toolOutcomes: undefined });
    for (const call of calls) {
      const { name, title } = call;
      if (this.#tools.get(name)?.safe === true || this.#isAllowed(name)) void this.#run(key, call);
      else this.#announce(fill(this.#texts.toolQuestion, { name: title }));
    }
  }

  /** Restores the calls of an earlier visit: pending requests are shown again, and nothing runs without consent. */
  #restore(message: Message | undefined): void {
    if (message?.status !== 'done' || message.timing !== undefined) return;
    const calls = this.#callsOf(message);
    if (calls.length === 0) return;
    const { key } = message;
    this.#calls.set(key, calls);
    this.#latest = { key, sent: this.#sent };
  }

  /** Shows the outcomes of an earlier visit and of another tab. */
  #adoptOutcomes(): void {
    const { key = '', sent } = this.#latest ?? {};
    const calls = this.#calls.get(key) ?? [];
    // Later outcomes belong to a later message.
    if (calls.length === 0 || sent !== this.#sent) return;
    calls.forEach((call, at) => {
      const outcome = call.state === 'asked' && this.#outcomes[outcomeName(call, at)];
      if (!outcome) return;
      this.#waiting = { key, sent };
      this.#change(key, call, outcome);
    });
  }

  get #outcomes(): Readonly<Record<string, Outcome | undefined>> {
    return this.#panel.conversation.snapshot.choices?.toolOutcomes ?? {};
  }

  #callsOf({ functionCalls }: Message): readonly ToolCall[] {
    const asked = functionCalls.filter(({ client, name }) => client === true && this.#tools.has(name));
    return asked.map(({ name, arguments: args }) => {
      const tool = this.#tools.get(name) as PageTool;
      const titles = new Map(tool.parameters?.map(({ name, title }) => [name, title]));
      const values = Object.entries(args).map(
        ([name, value]) => [titleOf(titles.get(name), name), value] as const,
      );
      return { name, arguments: args, title: titleOf(tool.title, name), values, state: 'asked' };
    });
  }

  readonly #decide = (call: ToolCall, consent: Consent): void => {
    const [key = ''] = [...this.#calls].find(([, calls]) => calls.includes(call)) ?? [];
    if (key === '') return;
    const focused = this.#panel.host.shadowRoot.activeElement?.closest('[part~=tool-request]');
    if (consent === 'once') void this.#run(key, call);
    else if (consent === 'always') this.#allowAlways(call.name);
    else void this.#answer(key, call, () => denied);
    // The pressed button is removed, so the focus moves to the composer.
    if (focused) focusPanel(this.#panel.container);
  };

  /** Allows a tool for the rest of the conversation, and runs its pending calls. */
  #allowAlways(name: string): void {
    const { conversation } = this.#panel;
    const { allowedTools = [] } = conversation.snapshot.choices ?? {};
    conversation.choose({ allowedTools: [...allowedTools, name] });
    for (const [key, calls] of [...this.#calls])
      for (const call of calls) if (call.name === name && call.state === 'asked') void this.#run(key, call);
  }

  #isAllowed(name: string): boolean {
    const allowed: unknown = this.#panel.conversation.snapshot.choices?.allowedTools;
    return Array.isArray(allowed) && allowed.includes(name);
  }

  /** Whether the assistant only needs another message of the visitor to continue with the results. */
  #canContinue(key: string): boolean {
    const { status, aiEnabled } = this.#panel.conversation.snapshot;
    const isOpen =
      this.#calls.get(key)?.some(({ state }) => state === 'asked' || state === 'running') ?? true;
    const { key: waiting, sent } = this.#waiting ?? {};
    return waiting === key && sent === this.#sent && status === 'ready' && aiEnabled && !isOpen;
  }

  /** How many messages the visitor has sent; each carries the results of the calls before it. */
  get #sent(): number {
    const { messages } = this.#panel.conversation.snapshot;
    return messages.filter(({ role, status }) => role === 'user' && /^sen/.test(status)).length;
  }

  readonly #continueReply = (): void => {
    this.#panel.host.element.send(this.#texts.continue);
    focusPanel(this.#panel.container);
  };

  async #run(key: string, asked: ToolCall): Promise<void> {
    const tool = this.#tools.get(asked.name);
    const { signal } = this.#controller;
    if (tool !== undefined) await this.#answer(key, asked, () => runTool(tool, asked.arguments, signal));
  }

  /** Answers a call, unless another tab answers it. */
  async #answer(key: string, asked: ToolCall, answer: () => Answer | Promise<Answer>): Promise<void> {
    const call = this.#change(key, asked, 'running');
    const at = this.#calls.get(key)?.indexOf(call) ?? 0;
    const isClaimed = await this.#claim(key, outcomeName(call, at));
    // The call belongs to an earlier conversation.
    if (this.#calls.get(key)?.includes(call) !== true) return;
    if (isClaimed) {
      this.#end(key, call, await answer());
      return;
    }
    // The other tab's outcome follows. If that tab closes first, the visitor can decide here.
    this.#change(key, call, 'asked');
    this.#adoptOutcomes();
  }

  /** Reserves a call for this tab; false if another tab answers it or has answered it. */
  async #claim(key: string, name: string): Promise<boolean> {
    const { environment, session } = this.#panel.conversation;
    const { messages } = session.snapshot;
    const before = messages.slice(
      0,
      messages.findIndex((message) => message.key === key),
    );
    // Message keys differ between tabs; the number of messages before it does not.
    const position = before.filter(({ role }) => role === 'user').length;
    const isFree = await this.#claims.claim(
      `${environment.store.name}:tool:${session.id}:${position} ${name}`,
    );
    return isFree && (this.#latest?.key !== key || this.#outcomes[name] === undefined);
  }

  #end(key: string, call: ToolCall, { outcome, result }: Answer): void {
    // The call belongs to an earlier conversation.
    if (this.#calls.get(key)?.includes(call) !== true) return;
    const { name, title } = call;
    const { conversation } = this.#panel;
    const at = this.#calls.get(key)?.indexOf(call) ?? 0;
    this.#waiting = { key, sent: this.#sent };
    this.#change(key, call, outcome, result);
    conversation.addToolResult({ name, arguments: call.arguments, result });
    const { toolOutcomes } = conversation.snapshot.choices ?? {};
    conversation.choose({ toolOutcomes: { ...toolOutcomes, [outcomeName(call, at)]: outcome } });
    const { toolDone: done, toolDenied: denied, toolFailed: failed } = this.#texts;
    this.#announce(fill({ done, denied, failed }[outcome], { name: title }));
    this.#panel.host.dispatch('chat-tool', { name, outcome });
  }

  #change(key: string, call: ToolCall, state: ToolCall['state'], result?: unknown): ToolCall {
    const changed = { ...call, state, result };
    const calls = this.#calls.get(key) ?? [];
    this.#calls.set(
      key,
      calls.map((before) => (before === call ? changed : before)),
    );
    this.#panel.requestRender();
    return changed;
  }

  get #texts(): Texts {
    return (this.#panel.locale ?? english).texts;
  }

  #announce(text: string): void {
    const line = document.createElement('p');
    line.textContent = text;
    this.#live.replaceChildren(line);
  }
}

type Outcome = 'done' | 'denied' | 'failed';
type Answer = Omit<ToolOutcome, 'outcome'> & { readonly outcome: Outcome };

const denied: Answer = { outcome: 'denied', result: { error: 'The visitor did not allow it.' } };

/** The key of a call's outcome: one message may call a tool twice. */
function outcomeName({ name }: ToolCall, at: number): string {
  return `${at} ${name}`;
}

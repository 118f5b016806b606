import { toJson } from '../../../client/to-json.ts';
import type { PageTool } from '../../page-tool.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { fingerprint } from '../../conversation/sending/fingerprint.ts';
import type { Message } from '../../conversation/snapshot.ts';
import { english, fill, type Texts } from '../../texts/texts.ts';
import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { Announcer } from '../announcer.ts';
import { focusPanel } from '../focus-panel.ts';
import { TabClaims } from './tab-claims.ts';
import { declareTools, validTools } from './declare-tools.ts';
import { fitToolResult } from './fit-tool-result.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';
import { toolRequests, type Consent, type ToolCall } from './tool-requests.ts';
import { titleOf } from './tool-title.ts';

/** Lets the assistant call page tools, with the visitor's consent. */
export function start(panel: PanelContext): AddOn {
  return new PageTools(panel);
}

class PageTools implements AddOn {
  readonly #panel: PanelContext;
  /** The calls by ID, in order; those of an earlier visit only for the last message. */
  readonly #calls = new Map<string, ToolCall>();
  /** The rendered calls of each message, and the values that they depend on. */
  readonly #rendered = new Map<string, { readonly basis: readonly unknown[]; readonly view: unknown }>();
  #conversationId: string | undefined;
  readonly #claims = new TabClaims();
  #controller = new AbortController();
  #offered: unknown;
  #valid = validTools(undefined);
  /** Of its own: an answer replaces the one before it. */
  readonly #announcer = new Announcer();

  constructor(panel: PanelContext) {
    this.#panel = panel;
    panel.host.root.append(this.#announcer.element);
  }

  readonly tools = () => (this.#tools.size > 0 ? declareTools(this.#tools) : undefined);

  readonly conversationChanged = (conversation: Conversation): void => {
    const { conversationId, messages } = conversation.snapshot;
    if (conversationId !== this.#conversationId) {
      if (this.#conversationId !== undefined) this.stop();
      this.#calls.clear();
      this.#rendered.clear();
      this.#announcer.element.replaceChildren();
      this.#conversationId = conversationId;
    }
    // Calls from the history, instead of a new answer, may have run already, so they need consent.
    const last = messages.at(-1);
    if (last?.status === 'done' && !last.timing) this.#addCalls(last);
    this.#adoptOutcomes();
    for (const message of messages)
      if (message.status === 'streaming' || message.timing) this.#addCalls(message).forEach(this.#begin);
    // The answer failed. If a new one makes the same call, it asks again.
    for (const { id, state, messageKey } of this.#calls.values())
      if (state === 'asked' && !messages.some(({ key }) => key === messageKey)) this.#calls.delete(id);
  };

  readonly below = ({ key }: Message): unknown => {
    const calls = this.#callsOf(key);
    const { locale } = this.#panel;
    if (calls.length === 0 || locale === undefined) return undefined;
    const canContinue = this.#canContinue(key);
    const basis = [locale, canContinue, ...calls];
    const rendered = this.#rendered.get(key);
    if (rendered && basis.every((value, at) => value === rendered.basis[at])) return rendered.view;
    const onContinue = canContinue ? this.#continueReply : undefined;
    const view = toolRequests(calls, locale, { decide: this.#decide, onContinue });
    this.#rendered.set(key, { basis, view });
    return view;
  };

  readonly pageToolCalls = ({ key }: Message): readonly ToolCall[] => this.#callsOf(key);

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

  /** The number of messages that the visitor has sent; each carries the results of the calls before it. */
  get #turn(): number {
    const { messages } = this.#panel.conversation.snapshot;
    return messages.filter(({ role, status }) => role === 'user' && /sending|sent/.test(status)).length;
  }

  #callsOf(messageKey: string): readonly ToolCall[] {
    return [...this.#calls.values()].filter((call) => call.messageKey === messageKey);
  }

  /** Adds the calls that a message requests. Returns the new ones. */
  #addCalls({ key, functionCalls }: Message): readonly ToolCall[] {
    const requested = functionCalls.filter(({ client }) => client === true);
    return requested.flatMap(({ name, arguments: args }, at) => {
      const { turn } = this.#callsOf(key)[0] ?? { turn: this.#turn };
      // Equal in all tabs and visits, unlike the keys of messages and the tools of the page. A retried answer may make
      // other calls at the same place. Databases change the order of arguments.
      const id = `${turn}-${at}-${fingerprint(toJson([name, Object.entries(args).sort()]))}`;
      const tool = this.#tools.get(name);
      const existing = this.#calls.get(id);
      // An answer that is repaired from the history has another key.
      if (existing && existing.messageKey !== key) this.#calls.set(id, { ...existing, messageKey: key });
      if (tool === undefined || existing) return [];
      const titles = new Map(tool.parameters?.map(({ name, title }) => [name, title]));
      const values = Object.entries(args).map(
        ([name, value]) => [titleOf(titles.get(name), name), value] as const,
      );
      const title = titleOf(tool.title, name);
      const call: ToolCall = {
        id,
        messageKey: key,
        turn,
        name,
        arguments: args,
        title,
        values,
        state: 'asked',
      };
      this.#calls.set(id, call);
      return call;
    });
  }

  /** Runs a new call, or asks for consent. */
  readonly #begin = (call: ToolCall): void => {
    const { name, title } = call;
    if (this.#tools.get(name)?.safe === true || this.#isAllowed(name)) this.#run(call);
    else this.#announce(fill(this.#texts.toolQuestion, { name: title }));
  };

  /** Shows the outcomes of an earlier visit and of another tab. */
  #adoptOutcomes(): void {
    for (const call of this.#calls.values()) {
      const outcome = call.state === 'asked' && this.#outcomes[call.id];
      if (outcome) this.#change(call, outcome);
    }
  }

  get #outcomes(): Readonly<Record<string, Outcome>> {
    return this.#panel.conversation.snapshot.choices?.toolOutcomes ?? {};
  }

  readonly #decide = (call: ToolCall, consent: Consent): void => {
    // Decided since the last render.
    if (this.#calls.get(call.id) !== call) return;
    if (consent === 'once') this.#run(call);
    else if (consent === 'always') this.#allowAlways(call.name);
    else void this.#answer(call, () => denied);
  };

  /** Allows a tool for the rest of the conversation, and runs its pending calls. */
  #allowAlways(name: string): void {
    const { conversation } = this.#panel;
    const { allowedTools = [] } = conversation.snapshot.choices ?? {};
    conversation.choose({ allowedTools: [...allowedTools, name] });
    for (const call of this.#calls.values())
      if (call.name === name && call.state === 'asked') this.#run(call);
  }

  #isAllowed(name: string): boolean {
    const allowed: unknown = this.#panel.conversation.snapshot.choices?.allowedTools;
    return Array.isArray(allowed) && allowed.includes(name);
  }

  /** Whether the assistant only needs another message of the visitor to continue with the results. */
  #canContinue(messageKey: string): boolean {
    const { status, aiEnabled } = this.#panel.conversation.snapshot;
    const turn = this.#turn;
    const waiting = [...this.#calls.values()].findLast(({ answeredIn }) => answeredIn === turn);
    const isOpen = this.#callsOf(messageKey).some(({ answeredIn }) => answeredIn === undefined);
    return waiting?.messageKey === messageKey && status === 'ready' && aiEnabled && !isOpen;
  }

  readonly #continueReply = (): void => {
    this.#panel.host.element.send(this.#texts.continue);
    focusPanel(this.#panel.container);
  };

  #run(call: ToolCall): void {
    const tool = this.#tools.get(call.name);
    const { signal } = this.#controller;
    void this.#answer(call, () => (tool ? runTool(tool, call.arguments, signal) : missing));
  }

  /** Answers a call, unless another tab answers it or the visitor leaves the conversation. */
  async #answer(call: ToolCall, answer: () => Answer | Promise<Answer>): Promise<void> {
    const { environment, session } = this.#panel.conversation;
    const hasLeft = (): boolean => session !== this.#panel.conversation.session;
    this.#change(call, 'running');
    const isFree = await this.#claims.claim(`${environment.store.name}:tool:${session.id}:${call.id}`);
    if (hasLeft()) return;
    if (isFree && !this.#outcomes[call.id]) {
      const answered = await answer();
      if (!hasLeft()) this.#end(call, answered);
      return;
    }
    // The other tab's outcome follows. If that tab closes first, the visitor can decide here.
    this.#change(call, 'asked');
    this.#adoptOutcomes();
  }

  #end(call: ToolCall, { outcome, result }: Answer): void {
    const { id, name, title } = call;
    const { conversation } = this.#panel;
    const sent = fitToolResult({ name, arguments: call.arguments, result });
    this.#change(call, outcome, sent.result);
    conversation.addToolResult(sent);
    // Those of earlier turns were sent, or are obsolete.
    const current = Object.entries(this.#outcomes).filter(([id]) => id.startsWith(`${this.#turn}-`));
    conversation.choose({ toolOutcomes: Object.fromEntries([...current, [id, outcome]]) });
    const { toolDone: done, toolDenied: denied, toolFailed: failed } = this.#texts;
    this.#announce(fill({ done, denied, failed }[outcome], { name: title }));
    this.#panel.host.dispatch('chat-tool', { name, outcome });
  }

  #change(call: ToolCall, state: ToolCall['state'], result?: unknown): void {
    const answeredIn = state === 'asked' || state === 'running' ? undefined : this.#turn;
    this.#calls.set(call.id, { ...call, state, result, answeredIn });
    this.#panel.requestRender();
  }

  get #texts(): Texts {
    return (this.#panel.locale ?? english).texts;
  }

  #announce(text: string): void {
    this.#announcer.element.replaceChildren();
    this.#announcer.say(text);
  }
}

type Outcome = 'done' | 'denied' | 'failed';
type Answer = Omit<ToolOutcome, 'outcome'> & { readonly outcome: Outcome };

const denied: Answer = { outcome: 'denied', result: { error: 'The visitor did not allow it.' } };
const missing: Answer = { outcome: 'failed', result: { error: 'The page no longer has this function.' } };

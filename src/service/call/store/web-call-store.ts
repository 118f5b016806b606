import type { EndReason } from '../../../contract/call.ts';
import { eq, sql } from 'drizzle-orm';
import { webCallMinutePrice } from '../../billing/prices.ts';
import type { CallStore } from './call-store.ts';
import { chargeStartedMinute } from '../charging/charge-started-minute.ts';
import type { ConnectedPlan } from '../start/plan-call.ts';
import { DatabaseCallStore } from './database-call-store.ts';
import { updatedUntilEnd } from '../../conversation/add-entry.ts';
import type { EndingDependencies } from '../../conversation/end-conversation.ts';
import { hasReachedMessageLimit } from '../../conversation/is-closed.ts';
import { conversationKey } from '../../conversation/change-notifier.ts';
import type { ChangeNotifier } from '../../conversation/change-notifier.ts';
import { calls } from '../../db/calls-table.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { assistants, conversations, messages } from '../../db/schema.ts';
import { ConversationError } from '../../lib/conversation-error.ts';
import { countForAssistant, countForVisitor } from '../../usage/daily-usage.ts';
import type { VisitorAddresses } from '../../lib/visitor-addresses.ts';
import { sendUsageNotices } from '../../usage/send-usage-notices.ts';
import { fitJson } from '../../lib/storable.ts';
import type { WebPlan } from '../start/plan-web-call.ts';
import { MustEndError } from './must-end-error.ts';
import type { CallAudio } from '../../recording/audio-recorder.ts';
import { countWebCallMinute } from '../../billing/web-call-limits.ts';
import type { WebCallLimits } from '../../billing/web-call-limits.ts';

/** The visitor's side of a web call. */
export interface VisitorSide {
  visitor: VisitorAddresses;
  /** Ends this connection of the call. The call can continue on another one. */
  disconnect: () => void;
  /** Set if the call is to be recorded. */
  audio?: CallAudio | undefined;
}

/** The visitor's side of a web call whose recording, if any, has started. */
export interface RecordedSide extends VisitorSide {
  /** Stores the rest of the recording. */
  finishRecording: () => Promise<void>;
}

/** Dependencies of {@link WebCallStore}. */
export interface WebCallStoreDependencies extends EndingDependencies {
  webCallLimits: WebCallLimits;
  notifier: ChangeNotifier;
}

/** Stores a web call in its record and in its conversation: each message of the call is also one of the conversation. */
export class WebCallStore implements CallStore {
  readonly #dependencies: WebCallStoreDependencies;
  readonly #plan: ConnectedPlan & { web: WebPlan };
  readonly #owner: string;
  readonly #side: RecordedSide;
  readonly #record: DatabaseCallStore;
  /**
   * The stored messages of the visitor, by their position in the call. A repeated attempt stores its messages again, and
   * replaces their entries.
   */
  readonly #questions = new Map<number, { id: number; turn: number }>();

  constructor(
    dependencies: WebCallStoreDependencies,
    plan: ConnectedPlan & { web: WebPlan },
    { owner, side }: { owner: string; side: RecordedSide },
  ) {
    this.#dependencies = dependencies;
    this.#plan = plan;
    this.#owner = owner;
    this.#side = side;
    this.#record = new DatabaseCallStore(dependencies, plan, owner);
  }

  async saveMessages(messages: readonly CallMessage[]): Promise<EndReason | undefined> {
    const { database, notifier } = this.#dependencies;
    const { conversationId } = this.#plan.web;
    const save = async (tx: Queries) => {
      const conversation = await lock(tx, conversationId);
      // After a lost database connection, this may repeat messages that are already stored.
      const stored = await countMessages(tx, this.#plan.id);
      // Fails if the visitor has deleted the conversation, and the call with it.
      await this.#record.saveMessages(messages, tx);
      if (!conversation) return 'conversation-ended';
      let { turns } = conversation;
      for (const [index, message] of messages.entries()) {
        const isGreeting = message.kind === 'greeting' && this.#plan.web.isGreetingStored;
        if (index < stored || isGreeting) continue;
        turns = await this.#add(tx, { ...conversation, turns, index }, message);
        if (message.role === 'user') await this.#count(tx, message);
      }
      const isAnswered = messages.at(-1)?.role === 'assistant';
      return isAnswered && (await hasReachedMessageLimit(tx, { ...conversation, turns }))
        ? 'conversation-ended'
        : undefined;
    };
    try {
      return await database.db.transaction(save);
    } catch (error) {
      if (error instanceof ConversationError && error.code === 'limit-reached') return 'messages-per-day';
      throw error;
    } finally {
      notifier.notify(conversationKey(conversationId));
    }
  }

  async chargeMinute(minute: number): Promise<void> {
    const { id: callId, callContext, mode, web } = this.#plan;
    const { assistant } = callContext;
    const isTest = web.type === 'test';
    await chargeStartedMinute(this.#dependencies, {
      callId,
      assistantId: assistant.id,
      owner: this.#owner,
      minute,
      price: isTest ? undefined : webCallMinutePrice(mode),
      carrierFee: '0',
      count: async (tx, userId) => {
        const parties = {
          userId,
          assistant,
          visitor: this.#side.visitor,
          isTest: isTest && !web.isPreview,
        };
        if (!(await countWebCallMinute(tx, parties, this.#dependencies.webCallLimits)))
          throw new MustEndError('minutes-per-day');
      },
    });
  }

  async release(duration: number): Promise<void> {
    // Before the release: this process cannot store chunks afterwards.
    await this.#side.finishRecording();
    await this.#record.release(duration);
  }

  /** Counts a visitor's spoken message like a written one. @throws ConversationError if a limit is reached. */
  async #count(tx: Queries, { content }: CallMessage): Promise<void> {
    const { web, callContext } = this.#plan;
    const { id: assistantId } = callContext.assistant;
    const source = { assistantId, ...web, limits: callContext.assistant, visitor: this.#side.visitor };
    const usage = { conversations: 0, messages: 1, answered: 1, stored: [content] };
    await countForVisitor(tx, source, usage);
    const notices = await countForAssistant(tx, source, usage);
    await sendUsageNotices({ tx, jobs: this.#dependencies.jobs }, assistantId, notices);
  }

  /** Returns the conversation's number of turns. */
  async #add(
    tx: Queries,
    { turns, isResumable, index }: { turns: number; isResumable: boolean; index: number },
    { role, content, functionCalls = [] }: CallMessage,
  ): Promise<number> {
    const { conversationId } = this.#plan.web;
    const answered = role === 'assistant' ? this.#questions.get(index - 1) : undefined;
    const turn = answered?.turn ?? turns + 1;
    const message = fitJson({ content: content.trim(), functionCalls });
    const [added] = await tx
      .insert(messages)
      .values({ conversationId, turn, role, ...message, inReplyTo: answered?.id ?? null })
      .returning({ id: messages.id });
    if (role === 'user' && added) this.#questions.set(index, { id: added.id, turn });
    const latest = Math.max(turns, turn);
    await tx
      .update(conversations)
      .set({
        turns: latest,
        ...(isResumable && role === 'user'
          ? { updatedAt: sql`now()`, endedAt: null }
          : { updatedAt: updatedUntilEnd }),
      })
      .where(eq(conversations.id, conversationId));
    return latest;
  }
}

async function lock(tx: Queries, conversationId: number) {
  const [found] = await tx
    .select({
      id: conversations.id,
      turns: conversations.turns,
      maxMessages: assistants.maxConversationMessages,
      /** Whether messages resume the conversation after its end. */
      isResumable: assistants.conversationEndedRetrigger,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.id, conversationId))
    .for('no key update', { of: conversations });
  return found;
}

/** Returns the number of stored messages of a call. */
async function countMessages(tx: Queries, callId: number): Promise<number> {
  const [record] = await tx
    .select({ count: sql<number>`jsonb_array_length(${calls.messages})` })
    .from(calls)
    .where(eq(calls.id, callId));
  return record?.count ?? 0;
}

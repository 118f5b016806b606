import type { EndReason } from '../../../contract/call.ts';
import { eq, sql } from 'drizzle-orm';
import { webCallMinutePrice } from '../../billing/prices.ts';
import type { CallStore } from './call-store.ts';
import { chargeMinutes } from '../charging/charge-minutes.ts';
import type { ConnectedPlan } from '../start/plan-call.ts';
import { DatabaseCallStore } from './database-call-store.ts';
import { updatedUntilEnd } from '../../conversation/add-entry.ts';
import type { EndingDependencies } from '../../conversation/end-conversation.ts';
import { isFull } from '../../conversation/has-ended.ts';
import { conversationSignal } from '../../conversation/signals.ts';
import type { Signals } from '../../conversation/signals.ts';
import { calls } from '../../db/calls-table.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { assistants, conversations, messages } from '../../db/schema.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';
import { ConversationError } from '../../lib/conversation-error.ts';
import { countForAssistant, countForVisitor } from '../../usage/daily-usage.ts';
import type { VisitorAddresses } from '../../lib/visitor-addresses.ts';
import { sendUsageNotices } from '../../usage/send-usage-notices.ts';
import { fitJson } from '../../lib/storable.ts';
import type { WebPlan } from '../start/plan-web-call.ts';
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
  limits: WebCallLimits;
  signals: Signals;
}

/** Stores a web call in its record and in its conversation: each message of the call is also one of the conversation. */
export class WebCallStore implements CallStore {
  readonly #dependencies: WebCallStoreDependencies;
  readonly #plan: ConnectedPlan & { web: WebPlan };
  readonly #side: RecordedSide;
  readonly #record: DatabaseCallStore;
  /** The visitor's unanswered message. */
  #unanswered: { id: number; turn: number } | undefined;

  constructor(
    dependencies: WebCallStoreDependencies,
    plan: ConnectedPlan & { web: WebPlan },
    { owner, side }: { owner: string; side: RecordedSide },
  ) {
    this.#dependencies = dependencies;
    this.#plan = plan;
    this.#side = side;
    this.#record = new DatabaseCallStore(dependencies, plan, owner);
  }

  async saveMessages(messages: readonly CallMessage[]): Promise<EndReason | undefined> {
    const { database, signals } = this.#dependencies;
    const { conversationId } = this.#plan.web;
    const unanswered = this.#unanswered;
    const save = async (tx: Queries) => {
      const conversation = await lock(tx, conversationId);
      // After a lost database connection, this may repeat messages that are already stored.
      this.#unanswered = unanswered;
      const stored = await countMessages(tx, this.#plan.id);
      // Fails if the visitor has deleted the conversation, and the call with it.
      await this.#record.saveMessages(messages, tx);
      if (!conversation) return 'conversation-ended';
      let { turns } = conversation;
      for (const [index, message] of messages.entries()) {
        const isGreeting = message.kind === 'greeting' && this.#plan.web.isGreetingStored;
        if (index < stored || isGreeting) continue;
        turns = await this.#add(tx, { ...conversation, turns }, message);
        if (message.role === 'user') await this.#count(tx, message);
      }
      const isAnswered = messages.at(-1)?.role === 'assistant';
      return isAnswered && (await isFull(tx, { ...conversation, turns })) ? 'conversation-ended' : undefined;
    };
    try {
      return await database.db.transaction(save);
    } catch (error) {
      if (error instanceof ConversationError && error.code === 'limit-reached') return 'messages-per-day';
      throw error;
    } finally {
      signals.notify(conversationSignal(conversationId));
    }
  }

  async chargeMinute(minute: number): Promise<boolean | 'minutes-per-day'> {
    const { database, jobs, limits } = this.#dependencies;
    const { assistant } = this.#plan.speaker;
    try {
      return await database.db.transaction(async (tx) => {
        const userId = await this.#record.lock(tx);
        const { type, isPreview } = this.#plan.web;
        const parties = {
          userId,
          assistant,
          visitor: this.#side.visitor,
          isTest: type === 'test' && !isPreview,
        };
        if (!(await countWebCallMinute(tx, parties, limits))) throw new NotCharged('minutes-per-day');
        if (type === 'test') return true;
        const amount = webCallMinutePrice(this.#plan.mode);
        const charge = {
          userId,
          assistantId: assistant.id,
          callId: this.#plan.id,
          minutes: [minute],
          amount,
          carrierFee: '0',
        };
        if ((await chargeMinutes({ tx, jobs }, charge)) === 0) throw new NotCharged(false);
        return true;
      });
    } catch (error) {
      if (error instanceof NotCharged) return error.result;
      // An earlier attempt succeeded, but its response was lost.
      if (isUniqueViolation(error, 'ledger_entries_once_a_minute')) return true;
      throw error;
    }
  }

  async release(duration: number): Promise<void> {
    // Before the release: this process cannot store chunks afterwards.
    await this.#side.finishRecording();
    await this.#record.release(duration);
  }

  /** Counts a visitor's spoken message like a written one. @throws ConversationError if a limit is reached. */
  async #count(tx: Queries, { content }: CallMessage): Promise<void> {
    const { web, speaker } = this.#plan;
    const { id: assistantId } = speaker.assistant;
    const source = { assistantId, ...web, limits: speaker.assistant, visitor: this.#side.visitor };
    const usage = { conversations: 0, messages: 1, answered: 1, stored: [content] };
    await countForVisitor(tx, source, usage);
    const notices = await countForAssistant(tx, source, usage);
    await sendUsageNotices({ tx, jobs: this.#dependencies.jobs }, assistantId, notices);
  }

  /** Returns the conversation's number of turns. */
  async #add(
    tx: Queries,
    { turns, isResumable }: { turns: number; isResumable: boolean },
    { role, content, functionCalls = [] }: CallMessage,
  ): Promise<number> {
    const { conversationId } = this.#plan.web;
    const answered = role === 'assistant' ? this.#unanswered : undefined;
    const turn = answered?.turn ?? turns + 1;
    const message = fitJson({ content: content.trim(), functionCalls });
    const [added] = await tx
      .insert(messages)
      .values({ conversationId, turn, role, ...message, inReplyTo: answered?.id ?? null })
      .returning({ id: messages.id });
    this.#unanswered = role === 'user' && added ? { id: added.id, turn } : undefined;
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

/** Rolls back the transaction. */
class NotCharged extends Error {
  readonly result: false | 'minutes-per-day';

  constructor(result: false | 'minutes-per-day') {
    super('The minute was not charged.');
    this.result = result;
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

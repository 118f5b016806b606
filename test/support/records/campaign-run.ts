import { and, eq } from 'drizzle-orm';
import type { CallStatus, EndReason } from '../../../src/contract/call.ts';
import type { CallLimits } from '../../../src/service/billing/call-limits.ts';
import { endCall } from '../../../src/service/call/outcome/end-call.ts';
import { runCampaign } from '../../../src/service/campaign/run-campaign.ts';
import { calls } from '../../../src/service/db/calls-table.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { assistantBody } from './assistant-body.ts';
import { Owner } from './owner.ts';
import { addNumber } from './add-records.ts';
import type { TestService } from '../service/service.ts';

const minute = 60_000;

/** Why a call may end without having been dialed. */
const notDialed: readonly EndReason[] = ['not-started', 'no-assistant'];

/** The end of a simulated call. */
interface CallEnd {
  status?: CallStatus;
  answeredBy?: 'human' | 'machine';
  reason?: EndReason;
  /** Whether the assistant spoke. */
  talked?: boolean;
  /** Whether the callee spoke. */
  answered?: boolean;
  /** Variables that the evaluation extracted. */
  found?: Record<string, unknown>;
}

/** A running campaign of a new owner. The test sets its clock and ends its calls. */
export class CampaignRun {
  readonly #database: Database;
  readonly #jobs: StoredJobs;
  readonly owner: Owner;
  readonly id: number;
  /** The campaign's clock. It starts a minute ahead, so that new leads are due. */
  now = new Date(Date.now() + minute);
  limits: CallLimits = { inParallel: 50, perDay: 1000 };

  private constructor(database: Database, owner: Owner, id: number) {
    this.#database = database;
    this.#jobs = new StoredJobs(database);
    this.owner = owner;
    this.id = id;
  }

  static async start(
    service: TestService,
    {
      balance = '10',
      numbers = 0,
      assistant = {},
      ...fields
    }: Record<string, unknown> & { balance?: string; numbers?: number; assistant?: object } = {},
  ): Promise<CampaignRun> {
    const owner = await Owner.create(service, balance);
    const created = await owner.create('assistant', assistantBody({ ...assistant }));
    const phone_number_ids: number[] = [];
    for (let index = 0; index < numbers; index++) phone_number_ids.push(await addNumber(service, owner.id));
    const { id } = await owner.create('campaigns', {
      name: 'Spring',
      assistant_id: created.id,
      phone_number_ids,
      ...fields,
    });
    const run = new CampaignRun(service.running.database, owner, id);
    await run.change('start');
    return run;
  }

  change(action: 'start' | 'stop') {
    return this.owner.post('campaigns/update-status', { campaign_id: this.id, action });
  }

  async add(phone_number: string, secondary: string[] = []): Promise<number> {
    const secondary_contacts = secondary.map((contact) => ({ phone_number: contact }));
    const lead = await this.owner.create('lead', {
      phone_number,
      campaign_id: this.id,
      variables: { name: 'Ada' },
      secondary_contacts,
    });
    return lead.id;
  }

  /** Advances the clock by minutes and runs the due work of a campaign. */
  async tick(minutes = 0, campaign = this.id): Promise<void> {
    this.now = new Date(this.now.getTime() + minutes * minute);
    const dependencies = { database: this.#database, jobs: this.#jobs, limits: this.limits };
    await runCampaign(dependencies, campaign, this.now);
  }

  /** The phone numbers of the active calls. */
  async called(): Promise<string[]> {
    return (await this.#open()).map(({ clientPhoneNumber }) => clientPhoneNumber);
  }

  #open() {
    return this.#database.db
      .select()
      .from(calls)
      .where(and(eq(calls.campaignId, this.id), eq(calls.status, 'initiated')))
      .orderBy(calls.id);
  }

  /** The ids of the active calls. */
  async openCalls(): Promise<number[]> {
    return (await this.#open()).map(({ id }) => id);
  }

  /** Ends the active calls and runs the campaign. */
  async end({
    status = 'completed',
    answeredBy = 'human',
    reason = 'hung-up',
    talked = false,
    answered = false,
    found,
  }: CallEnd = {}): Promise<void> {
    for (const { id } of await this.#open()) {
      await this.#database.db
        .update(calls)
        .set({
          answeredBy,
          ...(!notDialed.includes(reason) && { dialedAt: new Date().toISOString() }),
          messages: [
            ...(talked ? [{ role: 'assistant', content: 'Hello', at: 0, seconds: 1 } as const] : []),
            ...(answered ? [{ role: 'user', content: 'Yes?', at: 1, seconds: 1 } as const] : []),
          ],
          ...(found && { variables: found, endHandledAt: new Date().toISOString() }),
        })
        .where(eq(calls.id, id));
      await endCall({ database: this.#database, jobs: this.#jobs }, eq(calls.id, id), { status, reason });
    }
    await this.tick();
  }

  /** Deletes the due `campaign-tick` jobs of these campaigns; returns the ids of the campaigns that had one. */
  async takeTicks(...campaigns: number[]): Promise<number[]> {
    const { rows } = await this.#database.pool.query<{ key: string }>(
      `DELETE FROM jobs.job WHERE name = 'campaign-tick' AND start_after <= now() AND singleton_key = ANY ($1)
       RETURNING singleton_key AS key`,
      [campaigns.map(String)],
    );
    return rows.map(({ key }) => Number(key)).sort((a, b) => a - b);
  }

  /** The minutes until each waiting `campaign-tick` job of the campaign starts, rounded. */
  async waitingTicks(): Promise<number[]> {
    const { rows } = await this.#database.pool.query<{ minutes: number }>(
      `SELECT round(extract(epoch FROM start_after - now()) / 60)::integer AS minutes FROM jobs.job
       WHERE name = 'campaign-tick' AND state = 'created' AND singleton_key = $1`,
      [String(this.id)],
    );
    return rows.map(({ minutes }) => minutes);
  }

  async lead(id: number): Promise<{ status: string; contacts: string[] }> {
    const { json } = await this.owner.get(`leads?campaign_id=${this.id}`);
    const lead = (json['data'] as Record<string, unknown>[]).find((record) => record['id'] === id);
    const contacts = (lead?.['secondary_contacts'] as { status: string }[]).map(({ status }) => status);
    return { status: String(lead?.['status']), contacts };
  }

  async campaign(): Promise<Record<string, unknown>> {
    const listed = JSON.parse((await this.owner.get('campaigns')).text) as Record<string, unknown>[];
    return listed.find(({ id }) => id === this.id) ?? {};
  }
}

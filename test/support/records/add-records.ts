import { calls } from '../../../src/service/db/calls-table.ts';
import type { TestService } from '../service/service.ts';
import { assistantBody } from './assistant-body.ts';
import type { Owner } from './owner.ts';

let numbers = 0;

/** Stores a phone number of a user, which the API can only purchase; returns its id. */
export async function addNumber(
  { running }: TestService,
  userId: number,
  {
    type = 'normal',
    country = 'DE',
    smsCapable = true,
    subscribed = true,
  }: {
    type?: 'normal' | 'sip' | 'caller_id';
    country?: string;
    smsCapable?: boolean;
    subscribed?: boolean;
  } = {},
): Promise<number> {
  numbers += 1;
  const { rows } = await running.database.pool.query<{ id: number }>(
    `INSERT INTO phone_numbers
       (user_id, phone_number, country_code, type, region, sms_capable, has_active_subscription, price, paid_until)
     VALUES ($1, $2, $3, $4, 'Berlin', $5, $6, CASE WHEN $6 THEN 1.5 END, CASE WHEN $6 THEN now() + interval '1 month' END)
     RETURNING id`,
    [
      userId,
      `+49891000${String(numbers).padStart(4, '0')}`,
      country,
      type,
      smsCapable,
      subscribed && type === 'normal',
    ],
  );
  return rows[0]?.id ?? 0;
}

/** Stores an empty knowledge base of a user; returns its id. */
export async function addKnowledgebase({ running }: TestService, userId: number): Promise<number> {
  const { rows } = await running.database.pool.query<{ id: number }>(
    "INSERT INTO knowledgebases (user_id, name) VALUES ($1, 'Shop') RETURNING id",
    [userId],
  );
  return rows[0]?.id ?? 0;
}

/** Creates a campaign with a new assistant. */
export async function addCampaign(owner: Owner, name = 'Spring'): Promise<{ id: number }> {
  const assistant = await owner.create('assistant', assistantBody());
  return owner.create('campaigns', { name, assistant_id: assistant.id });
}

type Call = typeof calls.$inferInsert;

/** Stores the record of a call without making the call; returns its id. */
export async function addCall(
  { running }: TestService,
  call: Pick<Call, 'userId'> & Partial<Call>,
): Promise<number> {
  const [stored] = await running.database.db
    .insert(calls)
    .values({ assistantName: 'Kim', type: 'outbound', clientPhoneNumber: '+4915112345678', ...call })
    .returning({ id: calls.id });
  if (!stored) throw new Error('The call was not stored.');
  return stored.id;
}

import type { TestService } from './service.ts';

let numbers = 0;

/** Gives a user a phone number of a kind that cannot be bought; returns its id. */
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

/** Gives a user an empty knowledge base; returns its id. */
export async function addKnowledgebase({ running }: TestService, userId: number): Promise<number> {
  const { rows } = await running.database.pool.query<{ id: number }>(
    "INSERT INTO knowledgebases (user_id, name) VALUES ($1, 'Shop') RETURNING id",
    [userId],
  );
  return rows[0]?.id ?? 0;
}

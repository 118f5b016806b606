import { createApiKey } from '../service/create-api-key.ts';
import { modelUsage } from '../../../src/service/db/schema.ts';
import { webhookDeliveries } from '../../../src/service/db/webhooks-tables.ts';
import { addCall, addNumber } from './add-records.ts';
import { assistantBody, readAssistant } from './assistant-body.ts';
import { Owner } from './owner.ts';
import type { TestService } from '../service/service.ts';

/** A user who has a record of every kind. */
export interface Tenant {
  owner: Owner;
  /** Ids of the records, by the request field that refers to them. */
  fields: Readonly<Record<string, number | number[]>>;
  /** Ids or UUIDs of the records, by the path segment before them. */
  paths: Readonly<Record<string, number | string>>;
}

/** Creates a tenant. `name` is the name of all records that have one, and the transcript of the call. */
export async function createTenant(service: TestService, name: string): Promise<Tenant> {
  const owner = await Owner.create(service, '1');
  const { running } = service;
  await createApiKey(running.database.db, owner.id, `Key of ${name}`);
  await running.database.pool.query('UPDATE users SET name = $2 WHERE id = $1', [owner.id, name]);
  await owner.put('spending-limit', { daily_limit: name.length });
  const number = await addNumber(service, owner.id);
  await owner.put(`phone-numbers/${number}`, { nickname: name });
  const tool = await owner.create('tools', {
    name: `look_up_${name.toLowerCase()}`,
    description: name,
    endpoint: 'https://shop.example/orders',
    method: 'GET',
  });
  const base = await owner.create('knowledgebases', { name });
  const uploaded = await owner.upload(`knowledgebases/${base.id}/documents`, {
    name,
    type: 'txt',
    file: new Blob([`# ${name}\n\nOpen from nine to five.`]),
  });
  const document = uploaded.json['data'] as { id: number };
  const assistant = await owner.create(
    'assistant',
    assistantBody({ name, phone_number_id: number, tool_ids: [tool.id], knowledgebase_id: base.id }),
  );
  const campaign = await owner.create('campaigns', {
    name,
    assistant_id: assistant.id,
    phone_number_ids: [number],
  });
  const lead = await owner.create('lead', { phone_number: '+4915112345678', campaign_id: campaign.id });
  const call = await addCall(service, {
    userId: owner.id,
    assistantId: assistant.id,
    campaignId: campaign.id,
    leadId: lead.id,
    assistantName: name,
    transcript: name,
  });
  const blocked = await owner.create('blocked-numbers', { phone_number: '+4915112345699' });
  const { uuid } = await readAssistant(owner, assistant.id);
  await running.database.db.insert(modelUsage).values({
    ...{
      assistantId: assistant.id,
      day: '2026-01-01',
      model: name,
      replies: 1,
      evaluations: 0,
      transcriptions: 0,
      transcribedSeconds: 0,
    },
    ...{ inputTokens: 1, outputTokens: 1, cost: '0', hasUnknownCost: true },
  });
  await owner.get('webhook-secret');
  const [delivery] = await running.database.db
    .insert(webhookDeliveries)
    .values({
      userId: owner.id,
      assistantId: assistant.id,
      callId: call,
      webhookId: `msg_${name}`,
      event: 'call-ended',
      url: `https://shop.example/${name}`,
      payload: '{}',
      status: 'failed',
    })
    .returning({ id: webhookDeliveries.id });
  const conversation = await service.open(String(uuid), { type: 'test', variables: { name } });
  return {
    owner,
    fields: {
      assistant_id: assistant.id,
      campaign_id: campaign.id,
      knowledgebase_id: base.id,
      phone_number_id: number,
      phone_number_ids: [number],
      tool_ids: [tool.id],
    },
    paths: {
      assistant: assistant.id,
      assistants: assistant.id,
      'blocked-numbers': blocked.id,
      calls: call,
      campaign: campaign.id,
      conversations: conversation,
      documents: document.id,
      knowledgebases: base.id,
      leads: lead.id,
      'phone-numbers': number,
      tools: tool.id,
      'webhook-deliveries': delivery?.id ?? 0,
    },
  };
}

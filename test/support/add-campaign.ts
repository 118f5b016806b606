import { assistantBody } from './assistant-body.ts';
import type { Owner } from './owner.ts';

/** Creates a campaign, with an assistant of its own. */
export async function addCampaign(of: Owner, name = 'Spring'): Promise<{ id: number }> {
  const assistant = await of.create('assistant', assistantBody());
  return of.create('campaigns', { name, assistant_id: assistant.id });
}

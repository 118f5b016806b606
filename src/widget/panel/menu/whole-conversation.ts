import type { PanelModel } from '../panel-model.ts';

/** A conversation to take along. */
export interface Transcript extends PanelModel {
  /** Says that earlier messages are not in it, where that is so. */
  readonly leftOut?: string;
}

/** A conversation with what was said before the messages that show; the service is asked for it. */
export async function wholeConversation(model: PanelModel): Promise<Transcript> {
  const part = await model.modules.load('extras');
  const [whole, isAll] = (await part?.withEarlier(model)) ?? [model, false];
  const { earlier, network } = model.locale.texts;
  return isAll ? whole : { ...whole, leftOut: `${earlier}: ${network}` };
}

import type { PanelModel } from '../panel-model.ts';

/** A conversation to copy, print or download. */
export interface Transcript extends PanelModel {
  /** The note that earlier messages are missing, if they are. */
  readonly leftOut?: string;
}

/** A conversation including its earlier messages, which are requested from the service. */
export async function wholeConversation(model: PanelModel): Promise<Transcript> {
  const part = await model.modules.load('extras');
  const [whole, isAll] = (await part?.withEarlier(model)) ?? [model, false];
  const { earlier, network } = model.locale.texts;
  return isAll ? whole : { ...whole, leftOut: `${earlier}: ${network}` };
}

/*
 * The lazy module of the conversation, loaded at the first key or when the page is idle. One module, so that the
 * bundler can put it into one file together with the panel's parts that are needed at the same time.
 */
export { deliver } from './deliver.ts';
export { withoutPending } from './find-delivered.ts';
export { followUpdates } from '../history/updates.ts';
export { deleteForgotten } from '../storage/delete-forgotten.ts';
export { connectTabs } from '../tabs/browser-tabs.ts';
export { Tabs } from '../tabs/tabs.ts';

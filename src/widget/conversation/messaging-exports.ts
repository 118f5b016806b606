/* The lazily loaded part of a conversation; the panel's messaging module contains it. */
export { deliver } from './sending/deliver.ts';
export { withoutPending } from './history/apply-record.ts';
export { followUpdates, readUpdates } from './history/follow-updates.ts';
export { requestDeletions } from './storage/request-deletions.ts';
export { connectTabs } from './tabs/browser-tabs.ts';
export { Tabs } from './tabs/tabs.ts';

/* The operations that an owner's key opens, as data; `endpoints.ts` has those that a visitor's browser knows. */
export * from './assistant-endpoints.ts';
export { createTool, deleteTool, listTools, readTool, updateTool } from './tool.ts';
export {
  listPhoneNumbers,
  listSmsNumbers,
  purchasePhoneNumber,
  releasePhoneNumber,
  searchPhoneNumbers,
  updatePhoneNumber,
} from './phone-number.ts';
export {
  createDocument,
  createKnowledgebase,
  deleteDocument,
  deleteKnowledgebase,
  listDocuments,
  listKnowledgebases,
  readDocument,
  readKnowledgebase,
  updateDocument,
  updateKnowledgebase,
} from './knowledgebase.ts';
export { createCampaign, deleteCampaign, listCampaigns, updateCampaignStatus } from './campaign.ts';
export { createLead, deleteLead, listLeads, updateLead } from './lead.ts';
export { blockNumber, listBlockedNumbers, unblockNumber } from './blocked-number.ts';
export { deleteCall, listCalls, makeCall, readCall } from './call.ts';
export { listConversations } from './conversation-list.ts';
export {
  listWebhookDeliveries,
  readWebhookSecret,
  redeliverWebhook,
  rotateWebhookSecret,
} from './webhook.ts';
export { generateReply } from './generate-reply.ts';

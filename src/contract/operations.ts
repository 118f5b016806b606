import * as assistant from './assistant.ts';
import { listAuditLog } from './audit-log.ts';
import * as blockedNumber from './blocked-number.ts';
import * as call from './call.ts';
import * as campaign from './campaign.ts';
import * as catalog from './catalog.ts';
import * as conversation from './conversation.ts';
import { generateReply } from './generate-reply.ts';
import * as knowledgebase from './knowledgebase.ts';
import * as lead from './lead.ts';
import type { Operation } from './owner-endpoint.ts';
import { listModelUsage } from './model-usage.ts';
import * as phoneNumber from './phone-number.ts';
import * as tool from './tool.ts';
import * as user from './user.ts';
import * as userToken from './user-token.ts';
import * as voice from './web-call.ts';
import * as webhook from './webhook.ts';

export { scopes } from './owner-endpoint.ts';
export type { Operation, RecordKind, Scope } from './owner-endpoint.ts';

/** All operations of the service, by name. */
export const operations = {
  openConversation: conversation.openConversation,
  resumeConversation: conversation.resumeConversation,
  sendMessage: conversation.sendMessage,
  stopReply: conversation.stopReply,
  deleteConversation: conversation.deleteConversation,
  readVoice: voice.readVoice,
  startVoice: voice.startVoice,
  endVoice: voice.endVoice,
  listConversations: conversation.listConversations,
  writeAsPerson: conversation.writeAsPerson,
  disableAi: conversation.disableAi,
  enableAi: conversation.enableAi,
  createAssistant: assistant.createAssistant,
  updateAssistant: assistant.updateAssistant,
  deleteAssistant: assistant.deleteAssistant,
  listAssistants: assistant.listAssistants,
  listAllAssistants: assistant.listAllAssistants,
  listOutboundAssistants: assistant.listOutboundAssistants,
  readAssistantWidget: assistant.readAssistantWidget,
  enableInboundWebhook: assistant.enableInboundWebhook,
  disableInboundWebhook: assistant.disableInboundWebhook,
  disableWebhook: assistant.disableWebhook,
  enableConversationEndedWebhook: assistant.enableConversationEndedWebhook,
  disableConversationEndedWebhook: assistant.disableConversationEndedWebhook,
  createPreviewToken: userToken.createPreviewToken,
  createUserTokenSecret: userToken.createUserTokenSecret,
  deleteUserTokenSecret: userToken.deleteUserTokenSecret,
  listLanguages: catalog.listLanguages,
  listVoices: catalog.listVoices,
  listModels: catalog.listModels,
  listSynthesizerProviders: catalog.listSynthesizerProviders,
  listTranscriberProviders: catalog.listTranscriberProviders,
  listAssignableNumbers: catalog.listAssignableNumbers,
  generateReply,
  listPhoneNumbers: phoneNumber.listPhoneNumbers,
  listSmsNumbers: phoneNumber.listSmsNumbers,
  searchPhoneNumbers: phoneNumber.searchPhoneNumbers,
  purchasePhoneNumber: phoneNumber.purchasePhoneNumber,
  updatePhoneNumber: phoneNumber.updatePhoneNumber,
  releasePhoneNumber: phoneNumber.releasePhoneNumber,
  listTools: tool.listTools,
  readTool: tool.readTool,
  createTool: tool.createTool,
  updateTool: tool.updateTool,
  deleteTool: tool.deleteTool,
  listKnowledgebases: knowledgebase.listKnowledgebases,
  readKnowledgebase: knowledgebase.readKnowledgebase,
  createKnowledgebase: knowledgebase.createKnowledgebase,
  updateKnowledgebase: knowledgebase.updateKnowledgebase,
  deleteKnowledgebase: knowledgebase.deleteKnowledgebase,
  listDocuments: knowledgebase.listDocuments,
  readDocument: knowledgebase.readDocument,
  createDocument: knowledgebase.createDocument,
  updateDocument: knowledgebase.updateDocument,
  deleteDocument: knowledgebase.deleteDocument,
  listCampaigns: campaign.listCampaigns,
  createCampaign: campaign.createCampaign,
  updateCampaignStatus: campaign.updateCampaignStatus,
  deleteCampaign: campaign.deleteCampaign,
  createLead: lead.createLead,
  listLeads: lead.listLeads,
  updateLead: lead.updateLead,
  deleteLead: lead.deleteLead,
  listBlockedNumbers: blockedNumber.listBlockedNumbers,
  blockNumber: blockedNumber.blockNumber,
  unblockNumber: blockedNumber.unblockNumber,
  listCalls: call.listCalls,
  readCall: call.readCall,
  deleteCall: call.deleteCall,
  makeCall: call.makeCall,
  listWebhookDeliveries: webhook.listWebhookDeliveries,
  redeliverWebhook: webhook.redeliverWebhook,
  readWebhookSecret: webhook.readWebhookSecret,
  rotateWebhookSecret: webhook.rotateWebhookSecret,
  readUser: user.readUser,
  readSpendingLimit: user.readSpendingLimit,
  setSpendingLimit: user.setSpendingLimit,
  listApiKeys: user.listApiKeys,
  listAuditLog,
  listModelUsage,
} as const satisfies Record<string, Operation>;

/** Lists the operations without their individual types. */
export const listOperations = (): [name: string, operation: Operation][] =>
  Object.entries<Operation>(operations);

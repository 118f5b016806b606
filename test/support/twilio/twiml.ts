import { DOMParser } from 'linkedom';

/** An element of TwiML. */
export interface TwimlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly TwimlElement[];
  text: string;
}

const anyText = /^[^]*$/;
const flag = /^(true|false)$/;
const address = /^https:\/\/[^\s?]+$/;
const wholeNumber = /^\d+$/;
const inputs = /^(none|dtmf|speech|any)$/;

/** The published attributes of each element and their values. The real carrier silently ignores others. */
const elements: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  Response: {},
  Connect: { action: address, method: /^(GET|POST)$/ },
  ConversationRelay: {
    url: /^wss:\/\/[^\s?]+$/,
    welcomeGreeting: anyText,
    welcomeGreetingInterruptible: inputs,
    language: /^[a-z]{2,3}(-[A-Z]{2})?$/,
    ttsLanguage: /^[a-z]{2,3}(-[A-Z]{2})?$/,
    transcriptionLanguage: /^(multi|[a-z]{2,3}(-[A-Z]{2})?)$/,
    ttsProvider: /^(Google|Amazon|ElevenLabs)$/,
    voice: anyText,
    transcriptionProvider: /^(Google|Deepgram)$/,
    speechModel: anyText,
    partialPrompts: flag,
    speechTimeout: /^(auto|[6-9]\d\d|[1-4]\d{3}|5000)$/,
    interruptible: inputs,
    interruptSensitivity: /^(low|medium|high)$/,
    reportInputDuringAgentSpeech: inputs,
    dtmfDetection: flag,
    preemptible: flag,
    profanityFilter: flag,
    ignoreBackchannel: flag,
    hints: anyText,
    events: /^(speaker-events|tokens-played)( (speaker-events|tokens-played))*$/,
  },
  Stream: { url: /^wss:\/\/[^\s?]+$/ },
  Redirect: { method: /^(GET|POST)$/ },
  Parameter: { name: /^\w+$/, value: /^[^]{1,500}$/ },
  Start: {},
  Recording: {
    channels: /^(mono|dual)$/,
    recordingStatusCallback: address,
    recordingStatusCallbackEvent: /^(in-progress|completed|absent)( (in-progress|completed|absent))*$/,
    recordingStatusCallbackMethod: /^(GET|POST)$/,
    track: /^(inbound|outbound|both)$/,
    trim: /^(trim-silence|do-not-trim)$/,
  },
  Dial: {
    action: address,
    method: /^(GET|POST)$/,
    callerId: /^\+[1-9]\d{6,14}$/,
    timeout: wholeNumber,
    timeLimit: wholeNumber,
    answerOnBridge: flag,
  },
  Number: {
    statusCallback: address,
    statusCallbackEvent: /^(initiated|ringing|answered|completed)( (initiated|ringing|answered|completed))*$/,
    statusCallbackMethod: /^(GET|POST)$/,
  },
  Hangup: {},
  Reject: { reason: /^(busy|rejected)$/ },
};

/** Longest document in a request to call. */
export const maxTwimlLength = 4000;

/**
 * Parses TwiML.
 *
 * @throws {Error} if an element, an attribute or a value is not published
 */
export function readTwiml(document: string): TwimlElement {
  if (!document.startsWith('<?xml version="1.0" encoding="UTF-8"?><Response')) {
    throw new Error(`not TwiML: ${document}`);
  }
  const { documentElement } = new DOMParser().parseFromString(document, 'text/xml');
  return readElement(documentElement as unknown as Element);
}

function readElement(element: Element): TwimlElement {
  const name = element.nodeName;
  const known = elements[name];
  if (!known) throw new Error(`unknown element: ${name}`);
  const attributes = Object.fromEntries([...element.attributes].map((one) => [one.name, one.value]));
  for (const [attribute, value] of Object.entries(attributes)) {
    const allowed = known[attribute];
    if (!allowed) throw new Error(`unknown attribute of ${name}: ${attribute}`);
    if (!allowed.test(value)) throw new Error(`invalid ${attribute} of ${name}: ${value}`);
  }
  const children = [...element.children].map(readElement);
  const text = children.length === 0 ? element.textContent : '';
  if (name === 'Number' && !/^\+[1-9]\d{6,14}$/.test(text)) throw new Error(`invalid number: ${text}`);
  if (name === 'Redirect' && !address.test(text)) throw new Error(`invalid address: ${text}`);
  return { name, attributes, children, text };
}

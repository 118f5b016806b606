/** A passage of a knowledge base. */
export interface Passage {
  /** Name of the document that contains it. */
  document: string;
  heading: string;
  /** Markdown. */
  body: string;
  /** Whether it probably answers the question, rather than only sharing a word with it. */
  isRelevant: boolean;
  /** How well it matches, in comparison with other results of the same search. */
  score: number;
}

/** An earlier message of the conversation. */
export interface Utterance {
  role: 'assistant' | 'user';
  content: string;
  /** User messages only: results of page tools that were sent with the message. */
  toolResults: PageToolResult[];
  /** Assistant messages only: the functions that it called while it answered, with their results. */
  functionCalls?: (PageToolResult & { client?: true })[];
}

/** A function of the visitor's page that the assistant may request. */
export interface PageTool {
  name: string;
  /** When and how to use it. */
  description: string;
  parameters: { name: string; type: 'string' | 'number' | 'bool'; description: string; required: boolean }[];
}

/** The result of a page tool. It comes from the visitor's browser, so it may be anything. */
export interface PageToolResult {
  name: string;
  arguments: Record<string, unknown>;
  result?: unknown;
}

/** The name of the knowledge base search, for models and in `function_call` events. */
export const searchToolName = 'search_knowledge';

/** A function that the assistant may call while it answers. The service runs it. */
export interface EngineTool extends Omit<PageTool, 'parameters'> {
  /** Visitors get the name of a call alone. */
  isPrivate?: boolean;
  /** Offered to language models only; no visitor would request it by name. */
  forModels?: true;
  /** Arguments of another type are converted where that loses nothing. */
  parameters: PageTool['parameters'];
  /**
   * Runs the tool. A failure is a result that describes it; rejects only with the signal's reason.
   *
   * @param args match the parameters.
   */
  run(args: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>;
}

/** The result of a tool that the service ran. */
export interface ToolOutcome {
  /** JSON. Visitors may see it, so it contains no secrets. */
  result: unknown;
  /** The result for the model, if it needs more than visitors should see; also JSON. */
  modelResult?: unknown;
  /** The tool ended the conversation or handed it over: the assistant may only say goodbye. */
  ends?: true;
}

/** Everything that a reply may depend on. Variables have already been filled in. */
export interface EngineRequest {
  assistant: {
    uuid: string;
    name: string;
    /** Two-letter code (ISO 639-1). */
    language: string;
    /** Codes of the other languages that it answers in. If empty, it answers in any visitor's language. */
    secondaryLanguages: string[];
    systemPrompt: string;
    /** 0 to 1. */
    temperature: number;
    /** Code of the model that answers; null for the service's default. */
    model: string | null;
    /** Code of the model that answers when there are functions to call; null for `model`. */
    toolModel: string | null;
  };
  /** The messages before `message`. */
  history: Utterance[];
  /** The visitor's message. */
  message: string;
  /** Whether replies are spoken. */
  isSpoken?: boolean;
  /** Calls only: the customer has been silent for a while, and `message` represents that. */
  isSilence?: boolean;
  /** Results of page tools since the assistant's last answer. */
  toolResults: PageToolResult[];
  /** The page's tools. */
  pageTools: PageTool[];
  /** The tools that the service runs. If a page tool has the same name, the service's tool is used. */
  tools: EngineTool[];
  /** Whether the prompt contains passages that match the message, without a search by the model. */
  includesPassages: boolean;
  /** Finds the passages that match a question best, best first; none without a knowledge base. */
  findPassages: (question: string, limit: number) => Promise<Passage[]>;
}

/** An event of a reply, in order. */
export type ReplyEvent =
  | { type: 'delta'; text: string }
  | {
      type: 'function_call';
      name: string;
      arguments: Record<string, unknown>;
      /** The result; absent if the page runs the function. */
      result?: unknown;
      /** The page runs it after the reply and sends the result with the visitor's next message. */
      client?: true;
      /** Visitors get the name alone. */
      private?: true;
    };

/** A chat or a call to be evaluated. */
export interface EvaluationRequest {
  /** UUID of its assistant. */
  assistant: string;
  /** Oldest first; never empty. */
  transcript: Pick<Utterance, 'role' | 'content'>[];
  /** The values to extract (interface: `post_call_schema`). */
  schema: EvaluationField[];
  /** Code of the model that evaluates; null for the service's default. */
  model: string | null;
  /** Two-letter code (ISO 639-1) of the assistant's language. */
  language: string;
}

/** A value to extract from a transcript. */
export interface EvaluationField {
  name: string;
  type: 'string' | 'number' | 'bool';
  description: string;
}

/** The evaluation of a chat or a call. Values that the transcript does not contain are null. */
export interface Evaluation {
  sentiment: 'positive' | 'neutral' | 'negative' | null;
  /** The outcome in a few words. */
  outcome: string | null;
  /** How well the customer was served, 0 to 1. */
  score: number | null;
  /** The extracted values by name, one for each field of the schema. */
  variables: Record<string, string | number | boolean | null>;
}

/** The usage of a language model by a reply or an evaluation. */
export interface ModelUsage {
  /** UUID. */
  assistant: string;
  purpose: 'reply' | 'evaluation' | 'transcription';
  /** Its name at the provider. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** Seconds of audio, of a transcription without tokens. */
  seconds?: number | undefined;
  /** USD; undefined for models without a configured price. */
  cost: number | undefined;
}

/** Answers messages and evaluates conversations. */
export interface Engine {
  /**
   * Answers a message.
   *
   * @throws EngineError with a reason that may be shown to the visitor.
   */
  reply(request: EngineRequest, signal: AbortSignal): AsyncIterable<ReplyEvent>;
  /**
   * Evaluates a chat or a call that has ended.
   *
   * @throws EngineError
   */
  evaluate(request: EvaluationRequest, signal: AbortSignal): Promise<Evaluation>;
}

/** The engine failed. Visitors see the message, so it contains no secret, address or stack. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** The reason as the assistant's owner reads it. */
  readonly ownerReason: string;

  constructor(message: string, options: ErrorOptions & { ownerReason?: string } = {}) {
    super(message, options);
    this.ownerReason = options.ownerReason ?? message;
  }
}

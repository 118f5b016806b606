/** A piece of a knowledge base that may answer a question. */
export interface Passage {
  /** Name of the document that it stands in. */
  document: string;
  heading: string;
  /** Markdown, as the document has it. */
  body: string;
  /** Whether it is likely to answer the question, rather than just to share a word with it. */
  fits: boolean;
}

/** One line of what was said before, oldest first. */
export interface Utterance {
  role: 'assistant' | 'user';
  content: string;
  /** Of a user's line: what the page had done before it was sent. */
  toolResults: PageToolResult[];
  /** Of the assistant's: what it had called while it answered, and what came of it. */
  functionCalls?: (PageToolResult & { client?: true })[];
}

/** A function of the visitor's page that an assistant may ask for. */
export interface PageTool {
  name: string;
  /** When and how to use it. */
  description: string;
  parameters: { name: string; type: 'string' | 'number' | 'bool'; description: string; required: boolean }[];
}

/** What such a function returned. It comes from the visitor's browser, so it may be anything. */
export interface PageToolResult {
  name: string;
  arguments: Record<string, unknown>;
  result?: unknown;
}

/** The name of the knowledge base search, for models and in `function_call` events. */
export const searchToolName = 'search_knowledge';

/** A function that the assistant may call while it answers. The service runs it. */
export interface EngineTool extends Omit<PageTool, 'parameters'> {
  /** Only a language model has a use for it; no visitor would ask for it by name. */
  forModels?: true;
  /** What a model writes in another type is turned into this one where that says the same. */
  parameters: PageTool['parameters'];
  /**
   * Runs it. A failure is a result too, which says what went wrong; it rejects only with the signal's reason.
   *
   * @param given fits the parameters.
   */
  run(given: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>;
}

/** What came of such a function. */
export interface ToolOutcome {
  /** JSON. Visitors may see it, so it holds no secret. */
  result: unknown;
  /** What a model is told instead, where visitors need not see it all; also JSON. */
  told?: unknown;
  /** The conversation is over, or no longer the assistant's: there is nothing left to say but goodbye. */
  ends?: true;
}

/** Everything that a reply may depend on. Variables have been filled in already. */
export interface EngineRequest {
  assistant: {
    name: string;
    /** Two-letter code (ISO 639-1). */
    language: string;
    /** Codes of the other languages that it answers in. With none, every visitor's language is one. */
    secondaryLanguages: string[];
    systemPrompt: string;
    /** 0 to 1. */
    temperature: number;
    /** Code of the model that answers; null for the service's own choice. */
    model: string | null;
    /** Code of the model that answers where there are functions to call; null for the same. */
    toolModel: string | null;
  };
  /** What was said before `message`. */
  history: Utterance[];
  /** The visitor's message. */
  message: string;
  /** What is said is read aloud. */
  isSpoken?: boolean;
  /** In a call: nobody has said anything for a while, and `message` stands for that. */
  isSilence?: boolean;
  /** What the page has done since the assistant's last answer. */
  toolResults: PageToolResult[];
  /** What the page can be asked for now. */
  pageTools: PageTool[];
  /** What the service can do for the assistant. Where a tool of the page has the same name, this one counts. */
  tools: EngineTool[];
  /** Whether a model is to be told without asking what the knowledge base has on the message. */
  quotesKnowledge: boolean;
  /** Finds the passages of the assistant's knowledge base that fit a question, best first; none without a knowledge base. */
  findPassages: (question: string, limit: number) => Promise<Passage[]>;
}

/** What happens while an assistant replies, in order. */
export type ReplyEvent =
  | { type: 'delta'; text: string }
  | {
      type: 'function_call';
      name: string;
      arguments: Record<string, unknown>;
      /** What it returned; absent for one that the page runs. */
      result?: unknown;
      /** The page runs it after the reply; the result comes with the visitor's next message. */
      client?: true;
    };

/** A chat or a call to be evaluated. */
export interface EvaluationRequest {
  /** Oldest first; somebody has said something in it. */
  transcript: Pick<Utterance, 'role' | 'content'>[];
  /** What is to be found out (interface: `post_call_schema`). */
  schema: Finding[];
  /** Code of the model that evaluates; null for the service's own choice. */
  model: string | null;
  /** Two-letter code (ISO 639-1) of the assistant's language. */
  language: string;
}

/** Something that is to be found out. */
export interface Finding {
  name: string;
  type: 'string' | 'number' | 'bool';
  description: string;
}

/** What came of a chat or a call. What the transcript does not tell is null. */
export interface Evaluation {
  sentiment: 'positive' | 'neutral' | 'negative' | null;
  /** What came of it, in a few words. */
  outcome: string | null;
  /** How well the customer was served, 0 to 1. */
  score: number | null;
  /** By the names of the schema, all of them. */
  variables: Record<string, string | number | boolean | null>;
}

/** How an assistant answers, and what it makes of what was said. */
export interface Engine {
  /**
   * Answers one message.
   *
   * @throws EngineError with a reason that a visitor may read.
   */
  reply(request: EngineRequest, signal: AbortSignal): AsyncIterable<ReplyEvent>;
  /**
   * Looks back at a chat or a call that is over.
   *
   * @throws EngineError
   */
  evaluate(request: EvaluationRequest, signal: AbortSignal): Promise<Evaluation>;
}

/** The engine could not answer. The message is shown to the visitor, so it holds no secret, address or stack. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

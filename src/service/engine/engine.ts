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

/** Everything that a reply may depend on. Variables have been filled in already. */
export interface EngineRequest {
  assistant: {
    name: string;
    /** Two-letter code (ISO 639-1). */
    language: string;
    systemPrompt: string;
    /** 0 to 1. */
    temperature: number;
  };
  /** What was said before `message`. */
  history: Utterance[];
  /** The visitor's message. */
  message: string;
  /** What the page has done since the assistant's last answer. */
  toolResults: PageToolResult[];
  /** What the page can be asked for now. */
  pageTools: PageTool[];
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
      result?: unknown;
      /** The page runs it after the reply; the result comes with the visitor's next message. */
      client?: true;
    };

/** How an assistant answers. */
export interface Engine {
  /**
   * Answers one message.
   *
   * @throws EngineError with a reason that a visitor may read.
   */
  reply(request: EngineRequest, signal: AbortSignal): AsyncIterable<ReplyEvent>;
}

/** The engine could not answer. The message is shown to the visitor, so it holds no secret, address or stack. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

import { searchToolName } from '../engine/engine.ts';
import type { EngineTool, Passage } from '../engine/engine.ts';

/** Passages that one search returns at most. */
const passageLimit = 5;

/** Lets a model look into the knowledge base itself, with the words that it finds best (`function_call` mode). */
export function searchTool(
  findPassages: (question: string, limit: number) => Promise<Passage[]>,
): EngineTool {
  return {
    name: searchToolName,
    forModels: true,
    description:
      'Searches the knowledge base. Use it before you answer anything about the company, its products, prices, ' +
      'terms or procedures, and name the document that the answer is from where that helps.',
    parameters: [
      {
        name: 'query',
        type: 'string',
        description: "What to find, in full words, in the knowledge base's language.",
        required: true,
      },
    ],
    async run({ query }) {
      const passages = await findPassages(String(query), passageLimit);
      return {
        // Visitors see where an answer is from; what they are told of it is for the model to say.
        result: { passages: passages.map(({ document, heading }) => ({ document, heading })) },
        modelResult: {
          passages: passages.map(({ document, heading, body }) => ({ document, heading, body })),
        },
      };
    },
  };
}

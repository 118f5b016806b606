import { searchToolName } from '../engine/engine.ts';
import type { EngineTool, Passage } from '../engine/engine.ts';

/** Most passages that a model receives for one search of its own. */
const searchPassageLimit = 5;

/** Creates the tool with which a model searches the knowledge base (mode `function_call`). */
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
      const passages = await findPassages(String(query), searchPassageLimit);
      return {
        // Visitors see the sources only; the model decides how to use the text.
        result: { passages: passages.map(({ document, heading }) => ({ document, heading })) },
        modelResult: {
          passages: passages.map(({ document, heading, body }) => ({ document, heading, body })),
        },
      };
    },
  };
}

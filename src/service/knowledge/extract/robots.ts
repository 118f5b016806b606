import robotsParserModule from 'robots-parser';

// Its types describe an ES module, but it is a CommonJS one.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** The answer of a robots.txt (RFC 9309) for one page. */
export interface RobotsAnswer {
  isAllowed: boolean;
  /** Requested pause between two pages, in milliseconds. */
  pauseMs: number;
}

/**
 * Looks up a page in the robots.txt of its origin. An empty file allows everything. The parser tries each position of the
 * page's path once per `*` of a rule. If that takes longer than a document may, `Extractor` ends the process.
 */
export function readRobots(text: string, page: string, userAgent: string): RobotsAnswer {
  const rules = robotsParser(new URL('/robots.txt', page).href, collapseAgents(text, userAgent));
  return {
    isAllowed: rules.isAllowed(page, userAgent) !== false,
    pauseMs: (rules.getCrawlDelay(userAgent) ?? 0) * 1000,
  };
}

/**
 * Replaces other agents with a single one per group: the parser stores every rule once per agent, so thousands of both
 * would fill the memory.
 */
function collapseAgents(text: string, userAgent: string): string {
  const ours = productToken(userAgent);
  const lines: string[] = [];
  let group = new Set<string>();
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [rule = ''] = line.split('#', 1);
    const colon = rule.indexOf(':');
    if (colon < 0) continue;
    if (rule.slice(0, colon).trim().toLowerCase() !== 'user-agent') {
      group = new Set();
      lines.push(rule);
      continue;
    }
    const token = productToken(rule.slice(colon + 1));
    const agent = token === ours || token === '*' ? token : 'other';
    if (!group.has(agent)) lines.push(`User-agent: ${agent}`);
    group.add(agent);
  }
  return lines.join('\n');
}

const productToken = (agent: string): string => (agent.split('/', 1)[0] ?? '').trim().toLowerCase();

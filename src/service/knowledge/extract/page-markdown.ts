import { Readability } from '@mozilla/readability';
import type { Extracted } from './extract.ts';
import { htmlMarkdown } from './html-markdown.ts';
import { parsePage } from './parse-page.ts';
import type { PageDocument } from './parse-page.ts';

/** Links of a page that are looked at. */
const linkLimit = 1000;

/** Fewer characters are no article. */
const charThreshold = 200;

/** What surrounds the content of a page whose article cannot be told apart. */
const surroundings = 'title, script, style, noscript, template, nav, header, footer, aside, form, svg';

/** The text of a page of a website, below its title, and where it links to. It is empty if the page wants no index. */
export function pageMarkdown(html: string, url: string): Extracted {
  const document = parsePage(html);
  const rules = document.querySelector('meta[name="robots" i]')?.getAttribute('content')?.toLowerCase() ?? '';
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  const found: string[] = [];
  for (const anchor of [...document.querySelectorAll('a[href]')].slice(0, linkLimit)) {
    const target = URL.parse(anchor.getAttribute('href') ?? '', base);
    if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
      anchor.removeAttribute('href');
      continue;
    }
    anchor.setAttribute('href', target.href);
    target.hash = '';
    if (!/\bnofollow\b/i.test(anchor.getAttribute('rel') ?? '')) found.push(target.href);
  }
  const links = /\b(nofollow|none)\b/.test(rules) ? [] : [...new Set(found)];
  if (/\b(noindex|none)\b/.test(rules)) return { markdown: '', links };
  const title = (document.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const markdown = htmlMarkdown(contentOf(html, document));
  return { markdown: markdown === '' || title === '' ? markdown : `# ${title}\n\n${markdown}`, links };
}

/** The article of a page, if there is one to be told from its surroundings, else whatever it says. */
function contentOf(html: string, document: PageDocument): string {
  const article = new Readability<string>(document, { charThreshold }).parse();
  if (article?.content && (article.textContent?.trim().length ?? 0) >= charThreshold) return article.content;
  // Readability has taken the document apart.
  const { body } = parsePage(html);
  for (const element of body.querySelectorAll(surroundings)) element.remove();
  return body.innerHTML;
}

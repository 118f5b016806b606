import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import type { DocumentedOperation, OpenApiDocument } from '../openapi/openapi-document.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { describeType, listFields } from './list-fields.ts';
import type { Field } from './list-fields.ts';

type Html = ReturnType<typeof html>;

const styles = readFileSync(join(import.meta.dirname, 'docs.css'), 'utf8');

/** The page's content security policy: its own style sheet only. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(styles).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

interface Entry extends DocumentedOperation {
  method: string;
  path: string;
}

/**
 * Renders the OpenAPI document as an HTML page: every operation with its fields, rules, responses and a curl command.
 */
export function renderDocs(document: OpenApiDocument): Html {
  const operations: Entry[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  const chapters = document.tags
    .map((tag) => ({ ...tag, entries: operations.filter(({ tags }) => tags[0] === tag.name) }))
    .filter(({ entries }) => entries.length > 0);
  const { title, version, description } = document.info;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}: interface</title>
        ${raw(`<style>${styles}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the operations</a>
        <nav aria-label="Operations">
          <p class="brand">${title} <small>${version}</small></p>
          ${chapters.map(
            ({ name, entries }) =>
              html`<p class="chapter"><a href="#${slug(name)}">${name}</a></p>
                <ul>
                  ${entries.map(
                    ({ operationId, method, path }) =>
                      html`<li>
                        <a href="#${operationId}">${badge(method)} <span>${shorten(path)}</span></a>
                      </li>`,
                  )}
                </ul>`,
          )}
        </nav>
        <main id="content">
          <h1>${title}: interface</h1>
          <p>${description}</p>
          <p>
            Machine-readable: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).
            Operations that need a key take it as <code>Authorization: Bearer &lt;key&gt;</code>.
          </p>
          ${chapters.map(
            ({ name, description: text, entries }) =>
              html`<section aria-labelledby="${slug(name)}">
                <h2 id="${slug(name)}">${name}</h2>
                <p>${text}</p>
                ${entries.map((entry) => renderOperation(document, entry))}
              </section>`,
          )}
        </main>
      </body>
    </html>`;
}

function renderOperation(document: OpenApiDocument, entry: Entry): Html {
  const { operationId, method, path, summary, parameters, requestBody, responses, security } = entry;
  const body = requestBody && Object.values(requestBody.content)[0]?.schema;
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 300);
  const [success, answer] = Object.entries(responses).find(([status]) => Number(status) < 300) ?? [];
  return html`<article id="${operationId}">
    <h3>
      ${badge(method)} <code>${path}</code>
      <a class="anchor" href="#${operationId}" aria-label="Link to ${method} ${path}">#</a>
    </h3>
    <p>${summary}</p>
    <p class="auth">${describeSecurity(security)}</p>
    ${table(
      'Parameters',
      parameters.map(({ name, required, schema, in: place, description = '' }) => {
        const { type, rules } = describeType(document, schema);
        return { name, required, type: `${type} (${place})`, rules: rules || description };
      }),
    )}
    ${body === undefined ? '' : table('Body', listFields(document, body))}
    <details>
      <summary>Answer ${success}, refusals ${refusals.map(([status]) => status).join(', ')}</summary>
      ${table(`Answer ${success}`, listFields(document, schemaOf(answer)))}
      <ul class="refusals">
        ${refusals.map(([status, { description }]) => html`<li><b>${status}</b> ${String(description)}</li>`)}
      </ul>
    </details>
    <pre><code>${command(entry, document, body)}</code></pre>
  </article>`;
}

const describeSecurity = ([needed]: DocumentedOperation['security']) =>
  needed === undefined
    ? 'Open to everyone.'
    : html`Needs a key with the scope <code>${Object.values(needed).flat().join(', ')}</code>.`;

function table(title: string, fields: Field[]): Html | '' {
  if (fields.length === 0) return '';
  return html`<div class="table" tabindex="0" role="region" aria-label="${title}">
    <table>
      <caption>
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Rules</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(
          ({ name, type, rules, required }) =>
            html`<tr>
              <th scope="row"><code>${name}</code>${required ? html` <em>required</em>` : ''}</th>
              <td>${type}</td>
              <td>${rules}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const badge = (method: string) => html`<b class="method ${method.toLowerCase()}">${method}</b>`;
const slug = (name: string) => name.toLowerCase().replaceAll(' ', '-');
/** A path with possible line breaks after its slashes. */
const shorten = (path: string) =>
  path
    .replace(/^\/api\//, '')
    .split('/')
    .map((part, index) => html`${index === 0 ? '' : raw('<wbr>')}/${part}`);

function schemaOf(answer: JsonSchema | undefined): JsonSchema {
  const content = answer?.['content'] as Record<string, { schema: JsonSchema }> | undefined;
  return content?.['application/json']?.schema ?? {};
}

/** A curl command with the required fields. */
function command({ method, path, security }: Entry, document: OpenApiDocument, body?: JsonSchema): string {
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} "$BASE_URL${path}"`];
  if (security.length > 0) lines.push('-H "Authorization: Bearer $API_KEY"');
  if (body !== undefined) {
    const required = listFields(document, body).filter((field) => field.required && !/[.[]/.test(field.name));
    const example = Object.fromEntries(required.map((field) => [field.name, exampleOf(field)]));
    lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example)}'`);
  }
  return lines.join(' \\\n  ');
}

function exampleOf({ type, rules, name }: Field): unknown {
  if (type.startsWith('integer') || type.startsWith('number')) return 1;
  if (type.startsWith('boolean')) return true;
  if (type.startsWith('array')) return [];
  if (type.startsWith('object')) return {};
  if (/^[a-z_-]+(, [a-z_-]+)+$/i.test(rules)) return rules.split(', ')[0];
  if (name.includes('phone')) return '+4915112345678';
  return rules.includes('uri') ? 'https://shop.example/hook' : '…';
}

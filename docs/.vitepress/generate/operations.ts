import { createOpenApiDocument } from '../../../src/service/openapi/openapi-document.ts';
import { code } from './table.ts';

/** Every operation by chapter, for the search; the viewer shows the fields. */
export function operationsList(): string {
  const { tags, paths } = createOpenApiDocument('');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  return tags
    .map(({ name, description }) => ({
      head: `## ${name}\n\n${description}`,
      lines: operations
        .filter((operation) => operation.tags[0] === name)
        .map(({ method, path, summary, responses, security }) => {
          const [scope] = security.flatMap(({ key }) => key);
          const needed = scope === undefined ? '' : ` Scope ${code(scope)}.`;
          return `- ${code(`${method} ${path}`)}: ${summary}${needed} (${Object.keys(responses).join(', ')})`;
        }),
    }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ head, lines }) => `${head}\n\n${lines.join('\n')}`)
    .join('\n\n');
}

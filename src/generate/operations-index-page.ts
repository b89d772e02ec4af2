import { anchor, code, page, table } from './markdown.ts'
import type { Resource } from './resources.ts'

/** The page that lists every operation of the service, with a link to each. */
export function operationsIndexPage(resources: readonly Resource[]): string {
  return page(
    '# Operations of the Audience Data Service',
    [
      'Every operation is a step type of the same name ([step types](step-types.md)) and a call of `audience api`.',
      'What they have in common, with the statuses of jobs and matches: [the service](../service-contract.md).',
      'The same as OpenAPI 3.1: [schemas/openapi.json](../../schemas/openapi.json).',
    ].join('\n'),
    ...resources.flatMap(({ name, operations }) => [
      `## ${name}`,
      table(
        ['operation', 'request', 'what it does'],
        operations.map(([id, { method, path, summary }]) => [
          `[${id}](operations/${name}.md#${anchor(id)})`,
          code(`${method} ${path}`),
          summary,
        ]),
      ),
    ]),
  )
}

import type { StepType } from '../core/step-type.ts'
import { outputTable } from './field-table.ts'
import { anchor, code, page, table } from './markdown.ts'
import { operationSection } from './operation-section.ts'
import { type Resource, schemasDescribedBy } from './resources.ts'

/** The page of one resource: its operations, and the fields of their responses. */
export function operationsPage(
  resource: Resource,
  resources: readonly Resource[],
  stepTypes: ReadonlyMap<string, StepType>,
): string {
  const homes = new Map(
    resources.flatMap(({ name, operations }) =>
      [...schemasDescribedBy({ name, operations }).keys()].map((title) => [title, name] as const),
    ),
  )
  return page(
    `# Operations on ${resource.name}`,
    'All operations: [the list](../operations.md).',
    ...resource.operations.map(([id, operation]) =>
      operationSection({ id, operation, stepType: stepTypes.get(id), homes }),
    ),
    ...[...schemasDescribedBy(resource)].flatMap(([title, schema]) => [`## ${title}`, outputTable(schema)]),
  )
}

/** The page that lists every operation of the service, with a link to each. */
export function operationsIndexPage(resources: readonly Resource[]): string {
  return page(
    '# Operations of the Audience Data Service',
    [
      'Every operation is a step type of the same name ([step types](step-types.md)), and can be called with `audience api`.',
      'For what all operations have in common, and for the statuses of jobs and matches, see [the service](../service-contract.md).',
      'All operations as OpenAPI 3.1: [schemas/openapi.json](../../schemas/openapi.json).',
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

import type { StepType } from '../core/step-type.ts'
import { outputTable } from './field-table.ts'
import { page } from './markdown.ts'
import { operationSection } from './operation-section.ts'
import { type Resource, schemasDescribedBy } from './resources.ts'

/** The page of one resource: its operations, and the fields of their answers. */
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

import type { ObjectSchema } from '../core/json-schema.ts'
import { inputTable } from './field-table.ts'
import { bullets, fence, page } from './markdown.ts'

/** The fields of a control operation that the page shows. */
interface ControlEntry {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly input: ObjectSchema
  readonly rules?: readonly { readonly description?: string }[]
  readonly answer: string
  readonly open?: true
}

/** The reference page of the embedded service's control API. */
export function controlPage(operations: Readonly<Record<string, ControlEntry>>): string {
  return page(
    '# Control API',
    [
      'What the embedded Audience Data Service offers to tests and to people who try things out: nothing of it is part of the API that it plays.',
      'Its address and its token are in the line that `audience service start --json` prints; every request but those marked open carries `Authorization: Bearer TOKEN`.',
      'Errors are `application/problem+json`.',
    ].join('\n'),
    ...Object.entries(operations).map(([id, operation]) => section(id, operation)),
  )
}

function section(id: string, { method, path, summary, description, input, rules, answer, open }: ControlEntry): string {
  return [
    `## ${id}`,
    [summary, description].filter((text) => text !== undefined).join(' '),
    fence('http', `${method} /_control${path}`),
    Object.keys(input.properties).length > 0 ? inputTable(input) : 'It takes no fields.',
    bullets([
      ...(rules ?? []).map((rule) => `**Rule:** ${rule.description}.`),
      `**Answer:** ${answer}.`,
      ...(open ? ['**Open:** it takes no token.'] : []),
    ]),
  ].join('\n\n')
}

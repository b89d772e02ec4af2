import { CONTROL_PREFIX, type ControlOperation } from '../service/control/control-operation.ts'
import { inputTable } from './field-table.ts'
import { bullets, code, fence, page, sentences } from './markdown.ts'

/** The reference page of the embedded service's control API. */
export function controlPage(operations: Readonly<Record<string, ControlOperation>>): string {
  return page(
    '# Control API',
    [
      'The embedded Audience Data Service offers these operations to tests and to people who try things out. They do not belong to the API that it imitates.',
      'The line that `audience service start --json` prints has the address and the token. Every request needs `Authorization: Bearer TOKEN`, except those that are marked open.',
      'Errors are `application/problem+json`.',
    ].join('\n'),
    ...Object.entries(operations).map(([id, operation]) => section(id, operation)),
  )
}

function section(id: string, operation: ControlOperation): string {
  const { method, path, summary, description, input, rules, open } = operation
  return [
    `## ${id}`,
    sentences(summary, description),
    fence('http', `${method} ${CONTROL_PREFIX}${path}`),
    inputTable(input),
    bullets([
      ...(rules ?? []).map((rule) => `**Rule:** ${rule.description}.`),
      `**Answer:** ${operation.answer ?? answerText(operation)}.`,
      ...(open ? ['**Open:** the operation needs no token.'] : []),
    ]),
  ].join('\n\n')
}

/** The names of the fields of an answer. If a field is a list, also the fields of its entries. */
function answerText({ output }: ControlOperation): string {
  if (!output) return code('text/csv')
  const fields = Object.entries(output.properties)
  return fields
    .map(([name, { const: value, items }]) => {
      if (value !== undefined) return `${code(name)}: ${code(String(value))}`
      const parts = Object.keys(items?.properties ?? {}).map(code)
      return parts.length > 0
        ? `${code(name)}, each with ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
        : code(name)
    })
    .join(', ')
}

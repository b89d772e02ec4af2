import type { Operation, RepeatRule } from '../contract/operation.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { StepType } from '../core/step-type.ts'
import { type FieldPlace, fieldPlace } from '../http/operation.ts'
import { exampleCall, exampleStep } from './example-text.ts'
import { inputTable } from './field-table.ts'
import { anchor, bullets, code, fence, sentences } from './markdown.ts'
import { resourceOf } from './resources.ts'

interface OperationSection {
  readonly id: string
  readonly operation: Operation
  /** The step type of the same name. */
  readonly stepType: StepType | undefined
  /** Maps the title of a schema to the resource whose page describes it. */
  readonly homes: ReadonlyMap<string, string>
}

/** Everything about one operation: the request, the response, and how to use it in a pipeline and in a shell. */
export function operationSection({ id, operation, stepType, homes }: OperationSection): string {
  const { summary, description, method, path, input, rules, list } = operation
  const blocks = [
    `## ${id}`,
    sentences(summary, description),
    fence('http', `${method} ${path}`),
    inputTable(input, (name) => PLACES[fieldPlace(operation, name)]),
    bullets([
      ...(rules ?? []).map(ruleText),
      answerText(operation, homes),
      ...jobText(operation),
      ...listText(operation),
      repeatText(operation),
    ]),
    ...(stepType ? ['As a step:', fence('yaml', exampleStep(stepType))] : []),
    ...(stepType ? ['On the command line:', fence('sh', exampleCall(stepType, { all: list?.paged === true }))] : []),
  ]
  return blocks.join('\n\n')
}

const PLACES = {
  path: 'path',
  query: 'query',
  body: 'body',
  part: 'file part',
} as const satisfies Record<FieldPlace, string>

function ruleText(rule: JsonSchema): string {
  const leniency = rule['x-client'] === 'warns' ? ' The client only warns, because another service may accept it.' : ''
  return `**Rule:** ${rule.description}.${leniency}`
}

function answerText({ status, output, notFound, accept }: Operation, homes: ReadonlyMap<string, string>): string {
  const body = output === null ? 'without a body' : `with ${bodyText(output, homes)}`
  const missing = notFound ? ` ${notFound[0]} if the resource does not exist.` : ''
  const media = accept === 'any' ? ' Any `Accept` header is accepted.' : ''
  return `**Answer:** ${status} ${body}.${missing}${media}`
}

function bodyText(output: JsonSchema, homes: ReadonlyMap<string, string>): string {
  if (output.title !== undefined) return `a ${linkTo(output.title, homes)}`
  const fields = Object.entries(output.properties ?? {}).map(([name, { items }]) =>
    items?.title === undefined ? code(name) : `${code(name)} (a list of ${linkTo(items.title, homes)})`,
  )
  return fields.join(', ')
}

function linkTo(title: string, homes: ReadonlyMap<string, string>): string {
  return `[${title}](${homes.get(title)}.md#${anchor(title)})`
}

function jobText({ job }: Operation): string[] {
  if (!job) return []
  const { resource, read } = job
  return [
    `**Job:** the work continues after the answer. When the job has succeeded, its ${code(resource)} names what it made or changed, ` +
      `and ${linkToOperation(read.operation)} reads that. A step waits for the job unless the step says ${code('await: false')}.`,
  ]
}

function listText({ list }: Operation): string[] {
  if (!list) return []
  const pages = list.paged ? 'comes in pages; `--all` reads every page' : 'comes as a whole, in one answer'
  const empty = list.emptyIs404 ? ' A 404 means that there is nothing; the client returns an empty list.' : ''
  return [`**List:** it ${pages}.${empty}`]
}

function linkToOperation(id: string): string {
  return `[${id}](${resourceOf(id)}.md#${anchor(id)})`
}

function repeatText({ method, repeat }: Operation): string {
  return `**When the answer is lost:** ${method === 'DELETE' ? REPEATED_DELETE : REPEATS[repeat]}`
}

const REPEATED_DELETE = 'send it again, then read the resource; if it is missing, the delete has succeeded.'

const REPEATS = {
  always: 'send it again.',
  contentAddressed: 'send it again under the same name, which is made from the content.',
  lookUp: 'look for what it makes; send it again only if that is not there.',
  onceMore: 'read the state, then send it at most once more.',
  never: 'look for it; if it is not there, a person decides. It is never sent twice.',
} as const satisfies Record<RepeatRule, string>

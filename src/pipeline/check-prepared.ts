import { FILE_SIGNALS, type FileSignal } from '../contract/enumerations.ts'
import { type ForEach, type Pipeline, type Step, sectionEntries, stepsOf, withoutBlocks } from '../core/pipeline.ts'
import { literalOf, type Template } from '../core/template.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf } from '../document/document-node.ts'
import { type Node, parseExpression } from '../expressions/parse.ts'
import { referencesIn } from '../expressions/references.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import type { StepDraft } from './read-steps.ts'

/** Reports each upload of a file that no `files.prepare` step wrote, if the policy forbids that. */
export function checkPrepared(
  drafts: readonly StepDraft[],
  policy: DocumentPolicy,
  reporter: DiagnosticCollector,
): void {
  const problem = policy.unprepared()
  if (!problem) return
  const unprepared = unpreparedUploads(
    drafts.map(({ step, block }) => ({ step, forEach: (block ?? { step }).step.forEach })),
  )
  for (const { step, withEntry } of drafts) {
    const node = childOf(withEntry?.value, 'file')
    if (node && unprepared.some((one) => one === step)) reporter.error(problem, node)
  }
}

/** A step with its forEach, or with the forEach of its block. */
interface PlacedStep {
  readonly step: Step
  readonly forEach: ForEach | undefined
}

/** The steps of a pipeline that upload, or may upload, a file that no `files.prepare` step wrote. */
export function unpreparedUploadsOf(pipeline: Pipeline): readonly Step[] {
  return unpreparedUploads(
    sectionEntries(pipeline).flatMap((entry) =>
      withoutBlocks([entry]).map((step) => ({ step, forEach: entry.forEach })),
    ),
  )
}

/** The signals of the lists that a pipeline prepares, as far as its document names them. */
export function preparedSignalsOf(pipeline: Pipeline): readonly FileSignal[] {
  return stepsOf(pipeline).flatMap(({ uses, with: given }) => {
    const signal = uses === 'files.prepare' ? literalOf(given, 'signal') : undefined
    return FILE_SIGNALS.filter((one) => signal === one)
  })
}

function unpreparedUploads(steps: readonly PlacedStep[]): readonly Step[] {
  const preparing = new Set(steps.flatMap(({ step }) => (step.uses === 'files.prepare' ? [step.id] : [])))
  return steps.flatMap((placed) => {
    const { step } = placed
    const file = step.uses === 'files.upload' ? step.with.entries.file : undefined
    return file && !isPrepared(file, lists(placed, preparing)) ? [step] : []
  })
}

/** The first names of a path that refers to a prepared file. */
type Prefix = readonly (string | undefined)[]

function lists({ forEach }: PlacedStep, preparing: ReadonlySet<string>): readonly Prefix[] {
  const own = [...preparing].map((id) => ['steps', id, 'outputs'])
  // With `items: ${{ steps.lists.outputs }}`, each item is the output of one preparation.
  const overLists = forEach && isPathTo(forEach.items, own)
  return [...own, ...(overLists ? [[forEach.as]] : [])]
}

function isPrepared(file: Template, prefixes: readonly Prefix[]): boolean {
  return isPathTo(
    file,
    prefixes.flatMap((prefix) => [
      [...prefix, 'file'],
      [...prefix, undefined, 'file'],
    ]),
  )
}

/** Whether a template is one expression whose value is always at one of the given paths. */
function isPathTo(template: Template, paths: readonly Prefix[]): boolean {
  if (template.kind !== 'expression') return false
  const parsed = parseExpression(template.expression.source)
  // Wrong syntax has already been reported.
  return 'problem' in parsed || isNodeAt(parsed.node, paths)
}

function isNodeAt(node: Node, paths: readonly Prefix[]): boolean {
  if (node.op === '?:') return isNodeAt(node.args[1], paths) && isNodeAt(node.args[2], paths)
  if (node.op !== '.' && node.op !== '[]' && node.op !== 'id') return false
  const { reads } = referencesIn(node)
  // The last path is the whole reference; the earlier ones are indexes in it.
  const read = reads.at(-1)
  if (!read) return false
  const found = [read.root, ...read.path]
  return paths.some((path) => path.length === found.length && path.every((name, at) => name === found[at]))
}

import { dirname, relative, resolve } from 'node:path'
import type { UnreadText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { count } from '../core/format/figures.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { NESTING_STEP } from '../core/step-type.ts'
import { entriesIn, literalOf, memberOf } from '../core/template.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { checkInputs } from './check-inputs.ts'
import { checkInputFiles } from './check-policy.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { StepDraft } from './read-steps.ts'

/** Loads another document, or says why it cannot be read; undefined if it does not exist. */
type LoadNested = (
  path: string,
) => { readonly pipeline?: Pipeline; readonly diagnostics: readonly Diagnostic[] } | UnreadText | undefined

/** The document whose steps run others. */
interface NestedSource {
  readonly file: string
  readonly within: readonly string[]
  readonly load: LoadNested
  readonly policy: DocumentPolicy | undefined
}

/**
 * Checks the pipelines that steps run: they must exist, be valid, get the inputs that they declare, and not run each
 * other in a circle. `within` holds the paths of the documents that lead here, outermost first; `namesIn` returns the
 * names that the expressions of a step can use.
 */
export function checkNested(
  drafts: readonly StepDraft[],
  source: NestedSource,
  namesIn: (step: StepDraft) => Names,
  deps: { checker: ExpressionChecker; reporter: DiagnosticCollector },
): void {
  for (const draft of drafts) {
    const node = draft.step.uses === NESTING_STEP ? childOf(childOf(draft.node, 'with'), 'file') : undefined
    const file = literalOf(draft.step.with, 'file')
    if (!node || typeof file !== 'string') continue
    const path = resolve(dirname(source.file), file)
    const folder = dirname(resolve(source.file))
    // If the pipeline may not read a file, the check does not read it either.
    if (source.policy?.file(path, folder)?.severity === 'error') continue
    const nested = loadOne(path, source, node, deps.reporter)
    const given = memberOf(draft.step.with, 'inputs')
    const values = nested && (given ? entriesIn(given) : {})
    if (!nested || !values) continue
    const inputs = {
      giver: `the step ${draft.step.id}`,
      values,
      node: childOf(childOf(draft.node, 'with'), 'inputs'),
      place: node,
      isComplete: true,
    }
    checkInputs(inputs, nested.inputs, namesIn(draft), deps)
    if (!source.policy) continue
    const place = { folder: dirname(path), documentFolder: folder, policy: source.policy }
    checkInputFiles(inputs.node, nested.inputs, place, deps.reporter)
  }
}

function loadOne(
  path: string,
  { file, within, load }: NestedSource,
  node: DocumentNode,
  reporter: DiagnosticCollector,
): Pipeline | undefined {
  const shown = (other: string) => relative(dirname(file), other) || other
  const circle = within.indexOf(path)
  if (circle !== -1) {
    const message = `pipelines run each other in a circle: ${[...within.slice(circle), path].map(shown).join(' → ')}`
    reporter.error({ code: 'pipelines-circle', message, hint: 'remove one of these steps' }, node)
    return undefined
  }
  const nested = load(path)
  if (!nested || 'unread' in nested) {
    const hint = 'the path is relative to the folder of this document'
    const message = nested ? `${path} cannot be read: ${nested.unread}` : `there is no pipeline at ${path}`
    reporter.error({ code: 'missing-pipeline', message, hint }, node)
    return undefined
  }
  if (nested.pipeline) return nested.pipeline
  const round = nested.diagnostics.find(({ code }) => code === 'pipelines-circle')
  const errors = nested.diagnostics.filter(({ severity }) => severity === 'error').length
  reporter.error(
    round
      ? { code: 'pipelines-circle', message: round.message, hint: round.hint }
      : {
          code: 'invalid-pipeline',
          message: `${shown(path)} is not valid: ${count(errors, 'error')}`,
          hint: `audience validate ${shown(path)}`,
        },
    node,
  )
  return undefined
}

import { dirname, relative, resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { type Pipeline, type Step, stepsOf } from '../core/pipeline.ts'
import { NESTING_STEP, type StepType } from '../core/step-type.ts'
import { memberOf, type Template } from '../core/template.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf } from '../document/document-node.ts'
import { fileExpressions, filesIn } from '../pipeline/named-files.ts'
import { referencedFiles } from '../pipeline/referenced-files.ts'
import type { TestDocument } from './test-document.ts'
import type { Reading } from './test-reading.ts'

/**
 * Reports a file that a test changes, but that is neither among its given files nor read by a pipeline of the test,
 * because the change would have no effect. If the name of a file that is read is known only in a run, nothing is
 * reported.
 */
export function checkChanges(
  tests: DocumentNode | undefined,
  document: Pick<TestDocument, 'given' | 'tests'>,
  reading: Reading,
): void {
  const { pipelineFolder, reporter } = reading
  // If there are other errors, nothing is reported, because one of them may be the reason.
  const read = reporter.hasErrors ? undefined : filesRead(document, reading)
  if (!read) return
  const given = [...document.given.files.keys()].map((name) => resolve(pipelineFolder, name))
  const known = new Set([...given, ...read.files])
  const events = itemsOf(tests).flatMap((test) => itemsOf(childOf(test, 'do')))
  for (const [name, { key }] of events.flatMap((event) => entriesOf(childOf(event, 'change')))) {
    const path = resolve(pipelineFolder, name)
    if (known.has(path) || read.folders.has(dirname(path))) continue
    const message = `no pipeline of this test reads ${name}`
    const names = [...known].map((one) => relative(pipelineFolder, one))
    reporter.error({ code: 'unknown-file', message, hint: didYouMean(name, names) }, key)
  }
}

/** Absolute paths of what the pipelines of a test read, and of the folders that they watch. */
interface FilesRead {
  readonly files: ReadonlySet<string>
  readonly folders: ReadonlySet<string>
}

/** Undefined if some of the files are only known in a run, or come from a source or from another pipeline. */
function filesRead(
  { given, tests }: Pick<TestDocument, 'given' | 'tests'>,
  { pipeline, pipelineFolder, deps }: Reading,
): FilesRead | undefined {
  if (!pipeline) return undefined
  const files = new Set(deps.optOuts)
  const folders = new Set<string>()
  const pipelines = new Map([[resolve(pipeline.file), pipeline]])
  // Iterating over a map also visits what is added in the meantime.
  for (const [file, one] of pipelines) {
    if (isOpen(one, deps.stepTypes)) return undefined
    const named = referencedFiles(one, deps.stepTypes)
    for (const path of [...named.files, ...named.pipelines]) files.add(path)
    for (const trigger of one.triggers) if (trigger.kind === 'watch') folders.add(resolve(dirname(file), trigger.path))
    for (const path of named.pipelines.filter((nested) => !pipelines.has(nested))) {
      const nested = deps.readPipeline(path, given.profile)
      if (!nested || 'unread' in nested || !nested.pipeline) return undefined
      pipelines.set(path, nested.pipeline)
    }
  }
  for (const { act } of tests.flatMap(({ events }) => events)) {
    if (act.kind !== 'run') continue
    for (const [name, value = null] of Object.entries(act.inputs)) {
      const declared = Object.hasOwn(pipeline.inputs, name) ? pipeline.inputs[name] : undefined
      for (const path of declared ? filesIn(declared, value) : []) files.add(resolve(pipelineFolder, path))
    }
  }
  return { files, folders }
}

/** Whether only a run knows which files a pipeline reads. */
function isOpen(pipeline: Pipeline, stepTypes: ReadonlyMap<string, StepType>): boolean {
  const steps = stepsOf(pipeline)
  const prepared = steps.filter(({ uses }) => uses === 'files.prepare').map(({ id }) => id)
  const typeOf = (input: string) => (Object.hasOwn(pipeline.inputs, input) ? pipeline.inputs[input]?.type : undefined)
  const isKnown = (template: Template) => {
    const source = template.kind === 'expression' ? template.expression.source.trim() : ''
    const [, input = '', step = ''] = KNOWN.exec(source) ?? []
    const isFile = DROPPED.includes(source) || typeOf(input) === 'file' || prepared.includes(step)
    return template.kind === 'value' || isFile
  }
  const ofSteps = steps.flatMap(({ uses, with: given }) => fileExpressions(stepTypes.get(uses)?.input, given))
  const ofTriggers = pipeline.triggers.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([name, value]) => (['file', 'list'].includes(typeOf(name) ?? '') ? [value] : [])),
  )
  return (
    pipeline.triggers.some(({ kind }) => kind === 'after') ||
    steps.some(readsElsewhere) ||
    [...ofSteps, ...ofTriggers].some((template) => !isKnown(template))
  )
}

/** An input that is a file, and the list that a step prepared. */
const KNOWN = /^(?:inputs\.(\w+)|steps\.(\w+)\.outputs\.file)$/
/** The files of watched folders. */
const DROPPED = ['trigger.file', 'trigger.path']

/** Whether a step reads a source, or gives another pipeline its inputs. */
function readsElsewhere({ uses, with: given }: Step): boolean {
  if (uses === NESTING_STEP) return memberOf(given, 'inputs') !== undefined
  const from = memberOf(given, 'from')
  return from !== undefined && memberOf(from, 'source') !== undefined
}

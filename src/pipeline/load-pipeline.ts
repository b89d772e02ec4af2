import { resolve } from 'node:path'
import type { DecodedText, InvalidByte, UnreadText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import { messageOf } from '../core/message-of.ts'
import { type DocumentRule, NOTIFY_EVENTS, SEVERITIES } from '../core/notify-rule.ts'
import {
  type Concurrency,
  isBlock,
  type Pipeline,
  type Step,
  type StepOrBlock,
  type Template,
  type Trigger,
} from '../core/pipeline.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { sha256 } from '../core/sha256.ts'
import type { StepType } from '../core/step-type.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { readYaml } from '../document/read-yaml.ts'
import { reportNotUtf8 } from '../document/utf8-text.ts'
import { schemaOfType, type Type } from '../expressions/types.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { checkAfter } from './check-after.ts'
import { checkEnvelope } from './check-envelope.ts'
import { checkFilesExist, type FilesOfMachine } from './check-files-exist.ts'
import { checkListSources } from './check-list-sources.ts'
import { checkNested, NESTING_STEP } from './check-nested.ts'
import { checkPolicy } from './check-policy.ts'
import { checkPrepared } from './check-prepared.ts'
import { checkSteps } from './check-steps.ts'
import { checkTriggers } from './check-triggers.ts'
import { concurrency as concurrencySchema } from './document-schema.ts'
import { ExpressionChecker } from './expression-checker.ts'
import { documentNames, inputsType, namesForVariables } from './expression-names.ts'
import type { OtherPipelines } from './outline.ts'
import { checkTriggerProfiles, isOfProfile, withProfileInputs } from './profile-inputs.ts'
import { readInputs } from './read-inputs.ts'
import { type AnyDraft, isStepDraft, readDefaults, readSteps, type StepDraft, type StepSection } from './read-steps.ts'
import { readTriggers, type TriggerDraft } from './read-triggers.ts'
import { durationAt, optionOf, readObject } from './read-value.ts'
import { readVariables } from './read-variables.ts'
import { stepGraph } from './step-graph.ts'
import { TemplateReader } from './template-reader.ts'
import { warnOfSameThing } from './warn-of-same-thing.ts'

/** In UTF-16 units; a longer text is not a pipeline, and parsing it costs memory. */
export const MAX_DOCUMENT_LENGTH = 1_000_000

export interface LoadedPipeline {
  /** Present only if there is no error. */
  readonly pipeline?: Pipeline
  /** All diagnostics in order of position; each has one. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads a document and checks everything that can be known without the service. Pure; never throws. */
export function loadPipeline(source: {
  readonly text: string
  /** The first byte that is not UTF-8. */
  readonly invalid?: InvalidByte
  /** The path to show for it. */
  readonly file: string
  readonly stepTypes: ReadonlyMap<string, StepType>
  /** Reads another document by its path, for steps that run it; without it, those documents are not checked. */
  readonly readDocument?: (path: string) => DecodedText | UnreadText | undefined
  /**
   * The other documents by the names of their pipelines, for triggers that come after them; without it, whether these
   * exist is not checked.
   */
  readonly others?: OtherPipelines
  /** If another document runs this one: the absolute paths of the documents that lead here. */
  readonly within?: readonly string[]
  /** The profile that it is read for; without it, it is read as if no profile gave it anything. */
  readonly values?: ProfileValues
  /** It was valid when its run was recorded: inputs that a profile gave to its triggers may be missing now. */
  readonly isStored?: true
  /** What the document may access; without it this is not checked, as for a stored text. */
  readonly policy?: DocumentPolicy
  /** The files of this machine; without it, whether a named file exists is not checked. */
  readonly files?: FilesOfMachine
  /**
   * The names of the channels that `notify` can use; called only when needed. Returns undefined if they are unknown.
   */
  readonly channels?: () => readonly string[] | undefined
}): LoadedPipeline {
  // A byte order mark is not a character of the first line: editors do not count it.
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text
  const reporter = new DiagnosticCollector(source.file, text)
  const pipeline = readInBounds({ ...source, text }, reporter)
  const diagnostics = reporter.diagnostics()
  if (!pipeline || reporter.hasErrors) return { diagnostics }
  return { pipeline: withDigest({ ...pipeline, text: source.text }), diagnostics }
}

/**
 * Any error in the code below is a problem of this document, or of a file that it names: other documents must be
 * checked and run all the same.
 */
function readInBounds(source: Parameters<typeof loadPipeline>[0], reporter: DiagnosticCollector): Content | undefined {
  try {
    return contentOf(source, reporter)
  } catch (error) {
    const message = `the document cannot be checked: ${messageOf(error)}`
    const hint = 'please report this with the document; until it is mended, change what was changed last'
    reporter.error({ code: 'not-checked', message, hint }, { start: 0, end: 0 })
    return undefined
  }
}

/** Whether a text can be a document; otherwise that is reported. `what` is what it should be: `a pipeline`. */
export function isReadable(
  { text, invalid }: Pick<DecodedText, 'text' | 'invalid'>,
  what: string,
  reporter: DiagnosticCollector,
): boolean {
  if (invalid) {
    reportNotUtf8(invalid, reporter)
    return false
  }
  if (text.length <= MAX_DOCUMENT_LENGTH) return true
  const message = `the document has ${text.length} characters; ${what} has at most ${MAX_DOCUMENT_LENGTH}`
  reporter.error({ code: 'document-too-large', message }, { start: 0, end: 0 })
  return false
}

type Content = Omit<Pipeline, 'text' | 'digest'>

function contentOf(source: Parameters<typeof loadPipeline>[0], reporter: DiagnosticCollector): Content | undefined {
  const { text, file, stepTypes } = source
  if (!isReadable(source, 'a pipeline', reporter)) return undefined
  const root = readYaml(text, reporter)
  if (!root) return undefined
  checkEnvelope(root, stepTypes, reporter)
  const templates = new TemplateReader(text, reporter)
  const own = readInputs(root, reporter)
  const { values, isStored } = source
  const inputs = values ? withProfileInputs(own, values, { ...source, root }, reporter) : own
  const inputTypes = inputsType(childOf(root, 'inputs'), inputs)
  const checker = new ExpressionChecker(templates, reporter)
  const variables = readVariables(root, namesForVariables(inputTypes), { templates, checker, reporter })
  const envNode = childOf(root, 'env')
  // A map in this place has been reported, and gives the names too.
  const env = [...itemsOf(envNode).flatMap((name) => textOf(name) ?? []), ...entriesOf(envNode).map(([name]) => name)]
  const context = { stepTypes, defaults: readDefaults(root), templates, reporter }
  const drafts = (['steps', 'onFailure', 'finally'] as const).flatMap((section) => readSteps(root, section, context))
  const steps = drafts.filter(isStepDraft)
  reportUnknownTypes(steps, stepTypes, reporter)
  const graph = stepGraph(drafts, reporter)
  const names = documentNames({ inputs: inputTypes, env, variables: variables.type }, drafts, graph)
  const itemTypes = checkSteps(drafts, names, checker, reporter)
  const { readDocument } = source
  if (readDocument && steps.some(({ step }) => step.uses === NESTING_STEP)) {
    const within = source.within ?? [resolve(file)]
    const load = (path: string) => {
      const nested = readDocument(path)
      if (nested === undefined || 'unread' in nested) return nested
      return loadPipeline({
        ...nested,
        file: path,
        stepTypes,
        readDocument,
        within: [...within, path],
        policy: source.policy,
        values,
      })
    }
    const namesIn = (step: StepDraft) => names.in({ step, recorded: true, item: itemTypes.get(step) })
    checkNested(steps, { file, within, load, policy: source.policy }, namesIn, { checker, reporter })
  }
  const triggers = readTriggers(root, templates, reporter)
  if (source.policy) {
    checkPolicy({ root, inputs, drafts: steps, triggers }, { file, text, policy: source.policy }, reporter)
    checkPrepared(steps, source.policy, reporter)
    checkListSources(steps, source.policy, reporter)
  }
  if (source.files) {
    checkFilesExist({ root, inputs, drafts: steps }, { file, files: source.files, policy: source.policy }, reporter)
  }
  if (values) checkTriggerProfiles(triggers, values, reporter)
  const isOurs = ({ trigger }: TriggerDraft) => isOfProfile(trigger, values)
  const declared = childOf(root, 'inputs')
  const isComplete = (draft: TriggerDraft) => isStored === undefined && isOurs(draft)
  const { others } = source
  if (others) checkAfter(textOf(childOf(root, 'name')) ?? '', triggers, others, reporter)
  const forTrigger = (trigger: Trigger) => names.forTrigger(trigger, others)
  checkTriggers(triggers, inputs, forTrigger, { checker, reporter, source, declared, isComplete })
  const outputs = readOutputs(root, templates)
  for (const output of Object.values(outputs)) checker.template(output, names.in({ recorded: true }))
  const concurrency = readConcurrency(root, templates)
  if (concurrency) checker.template(concurrency.group, names.beforeRun, { type: 'string' })
  const known = {
    ...{ inputs: Object.keys(inputs), variables: Object.keys(variables.declared) },
    steps: drafts.map(({ step }) => step.id),
  }
  for (const { withEntry } of steps) warnOfBareNames(withEntry?.value, { ...known, env }, reporter)
  warnOfBareNames(childOf(root, 'outputs'), known, reporter)
  warnOfSameThing(steps, reporter)
  const withNeeds = (chosen: (draft: AnyDraft) => boolean): StepOrBlock[] =>
    drafts.filter(chosen).map((draft) => {
      const step = { ...withItemSchema(draft.step, itemTypes.get(draft)), needs: graph.needs.get(draft.step.id) ?? [] }
      return isBlock(step) ? { ...step, steps: withNeeds(({ block }) => block === draft) as Step[] } : step
    })
  const sectionOf = (wanted: StepSection) => withNeeds(({ section, block }) => section === wanted && !block)
  return {
    file,
    name: textOf(childOf(root, 'name')) ?? '',
    description: textOf(childOf(root, 'description')),
    owner: textOf(childOf(root, 'owner')),
    inputs,
    variables: variables.declared,
    env,
    triggers: triggers.filter(isOurs).map(({ trigger }) => trigger),
    otherTriggers: values && triggers.filter((draft) => !isOurs(draft)).map(({ trigger }) => trigger),
    concurrency,
    notify: readNotify(childOf(root, 'notify'), source.channels, reporter),
    timeoutMs: durationAt(root, 'timeout'),
    steps: sectionOf('steps'),
    outputs,
    readsLast: templates.readsRoot('last'),
    onFailure: sectionOf('onFailure'),
    finally: sectionOf('finally'),
  }
}

function withItemSchema<S extends StepOrBlock>(step: S, item: Type | undefined): S {
  if (!step.forEach || !item || item.kind === 'dyn') return step
  return { ...step, forEach: { ...step.forEach, itemSchema: schemaOfType(item) } }
}

function reportUnknownTypes(
  drafts: readonly StepDraft[],
  stepTypes: ReadonlyMap<string, StepType>,
  reporter: DiagnosticCollector,
): void {
  for (const { step, type, node } of drafts) {
    const uses = childOf(node, 'uses')
    if (type || !uses || textOf(uses) === undefined) continue
    const known = [...stepTypes.keys()]
    const ofSame = known.filter((name) => name.split('.')[0] === step.uses.split('.')[0])
    const hint = closestHint(step.uses, known) ?? didYouMean(step.uses, ofSame)
    reporter.error({ code: 'unknown-step-type', message: `there is no step type ${step.uses}`, hint }, uses)
  }
}

function readOutputs(root: DocumentNode, templates: TemplateReader): Record<string, Template> {
  const outputs: Record<string, Template> = {}
  for (const [name, { value }] of entriesOf(childOf(root, 'outputs'))) outputs[name] = templates.read(value)
  return outputs
}

function readConcurrency(root: DocumentNode, templates: TemplateReader): Concurrency | undefined {
  const node = childOf(root, 'concurrency')
  const group = childOf(node, 'group')
  return group && { ...readObject(concurrencySchema, node), group: templates.read(group) }
}

/** The digest is computed on first use, so that checking documents does not load the crypto module. */
function withDigest(pipeline: Omit<Pipeline, 'digest'>): Pipeline {
  return {
    ...pipeline,
    get digest() {
      return sha256(pipeline.text)
    },
  }
}

/** A document's `notify`. Channel names are checked if the existing channels are known. */
function readNotify(
  node: DocumentNode | undefined,
  channels: (() => readonly string[] | undefined) | undefined,
  reporter: DiagnosticCollector,
): DocumentRule | undefined {
  if (!node) return undefined
  const to = childOf(node, 'to')
  const on = childOf(node, 'on')
  const severity = childOf(node, 'severity')
  const known = to && channels?.()
  for (const item of known ? itemsOf(to) : []) {
    const name = textOf(item)
    if (name === undefined || known?.includes(name)) continue
    const hint = didYouMean(name, known ?? []) ?? 'declare it in audience.yaml, under notify.channels'
    reporter.error({ code: 'unknown-channel', message: `audience.yaml has no channel ${name}`, hint }, item)
  }
  return {
    to: to && itemsOf(to).flatMap((item) => textOf(item) ?? []),
    on: on && itemsOf(on).flatMap((item) => optionOf(NOTIFY_EVENTS, item) ?? []),
    severity: severity && optionOf(SEVERITIES, severity),
  }
}

/** The names that expressions of a place read under `inputs`, `variables`, `env` and `steps`. */
type KnownNames = Readonly<Partial<Record<'inputs' | 'variables' | 'env' | 'steps', readonly string[]>>>

/** Warns of texts that are nothing but a name that expressions know, such as `inputs.title`: its braces were forgotten. */
function warnOfBareNames(node: DocumentNode | undefined, known: KnownNames, reporter: DiagnosticCollector): void {
  if (node?.kind === 'map') for (const [, { value }] of entriesOf(node)) warnOfBareNames(value, known, reporter)
  for (const item of itemsOf(node)) warnOfBareNames(item, known, reporter)
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || !isBareName(node.value, known)) return
  const problem = {
    code: 'bare-name',
    message: `${node.value} is plain text here`,
    hint: `write "\${{ ${node.value} }}"`,
  }
  reporter.warning(problem, node)
}

/** A longer name, such as `inputs.list.csv`, may be that of a file. */
const BARE_NAME = /^(?:(inputs|variables|env)\.(\w+)|(steps)\.(\w+)\.outputs(?:\.\w+)*)$/

/** Whether a text is the name of an input, a variable, an environment variable or the outputs of a step. */
function isBareName(text: string, known: KnownNames): boolean {
  const [, root = 'steps', name, , step] = BARE_NAME.exec(text) ?? []
  return known[root as keyof KnownNames]?.includes(name ?? step ?? '') ?? false
}

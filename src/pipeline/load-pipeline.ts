import { resolve } from 'node:path'
import type { DecodedText, InvalidByte, UnreadText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import { messageOf } from '../core/message-of.ts'
import { type DocumentRule, NOTIFY_EVENTS, SEVERITIES } from '../core/notify-rule.ts'
import type { Concurrency, Pipeline } from '../core/pipeline.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { sha256 } from '../core/sha256.ts'
import { NESTING_STEP, type StepType } from '../core/step-type.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { readYaml } from '../document/read-yaml.ts'
import { isReadable } from '../document/utf8-text.ts'
import type { Names } from '../expressions/check.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { checkAfter } from './check-after.ts'
import { checkEnvelope } from './check-envelope.ts'
import { checkFilesExist, type FilesOfMachine } from './check-files-exist.ts'
import { checkListSources } from './check-list-sources.ts'
import { checkNested } from './check-nested.ts'
import { type CheckedDocument, checkPolicy } from './check-policy.ts'
import { checkPrepared } from './check-prepared.ts'
import { checkSteps } from './check-steps.ts'
import { checkTriggers } from './check-triggers.ts'
import { concurrency as concurrencySchema } from './document-schema.ts'
import { ExpressionChecker } from './expression-checker.ts'
import { type DocumentNames, documentNames, inputsType, namesForVariables } from './expression-names.ts'
import type { OtherPipelines } from './outline.ts'
import { checkTriggerProfiles, isOfProfile, triggersOfProfile, withProfileInputs } from './profile-inputs.ts'
import { readInputs } from './read-inputs.ts'
import { isStepDraft, readDefaults, readSteps, type StepDraft } from './read-steps.ts'
import { readTriggers } from './read-triggers.ts'
import { durationAt, optionOf, readObject } from './read-value.ts'
import { readVariables } from './read-variables.ts'
import { sectionsOf, stepGraph } from './step-graph.ts'
import { TemplateReader } from './template-reader.ts'
import { warnOfBareNames, warnOfSameThing } from './warnings.ts'

export interface LoadedPipeline {
  /** Present only if there is no error. */
  readonly pipeline?: Pipeline
  /** All diagnostics, in order of position. Every diagnostic has a position. */
  readonly diagnostics: readonly Diagnostic[]
}

interface DocumentSource {
  readonly text: string
  /** The first byte that is not UTF-8. */
  readonly invalid?: InvalidByte
  /** The path to show for it. */
  readonly file: string
  readonly stepTypes: ReadonlyMap<string, StepType>
  /** Reads another document by its path, for steps that run it. Without it, those documents are not checked. */
  readonly readDocument?: (path: string) => DecodedText | UnreadText | undefined
  /**
   * The other documents by the names of their pipelines, for triggers that come after them. If absent, their existence
   * is not checked.
   */
  readonly others?: OtherPipelines
  /** If another document runs this one: the absolute paths of the documents that lead here. */
  readonly within?: readonly string[]
  /** The profile for which the document is read. Without it, the document is read as if no profile gave it anything. */
  readonly values?: ProfileValues
  /**
   * The document was valid when its run was recorded: inputs that a profile gave to its triggers may be missing now.
   */
  readonly isStored?: true
  /** What the document may access. Without it, access is not checked, as is the case for stored text. */
  readonly policy?: DocumentPolicy
  /** The files of this machine. If absent, the existence of named files is not checked. */
  readonly files?: FilesOfMachine
  /**
   * The names of the channels that `notify` can use; called only when needed. Returns undefined if they are unknown.
   */
  readonly channels?: () => readonly string[] | undefined
}

/** Reads a document and checks everything that can be known without the service. Pure; never throws. */
export function loadPipeline(source: DocumentSource): LoadedPipeline {
  // A byte order mark is not a character of the first line, because editors do not count it.
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text
  const reporter = new DiagnosticCollector(source.file, text)
  const pipeline = readInBounds({ ...source, text }, reporter)
  const diagnostics = reporter.diagnostics()
  if (!pipeline || reporter.hasErrors) return { diagnostics }
  return { pipeline: withDigest({ ...pipeline, text: source.text }), diagnostics }
}

/**
 * Any error in the code below is a problem with this document, or with a file that it names. Other documents must still
 * be checked and run.
 */
function readInBounds(source: DocumentSource, reporter: DiagnosticCollector): Content | undefined {
  try {
    return contentOf(source, reporter)
  } catch (error) {
    const message = `the document cannot be checked: ${messageOf(error)}`
    const hint = 'please report this, with the document; until it is fixed, undo your last change'
    reporter.error({ code: 'not-checked', message, hint }, { start: 0, end: 0 })
    return undefined
  }
}

type Content = Omit<Pipeline, 'text' | 'digest'>

function contentOf(source: DocumentSource, reporter: DiagnosticCollector): Content | undefined {
  const { text, file, stepTypes, values } = source
  if (!isReadable(source, 'a pipeline', reporter)) return undefined
  const root = readYaml(text, reporter)
  if (!root) return undefined
  checkEnvelope(root, stepTypes, reporter)
  const templates = new TemplateReader(text, reporter)
  const checker = new ExpressionChecker(templates, reporter)
  const own = readInputs(root, reporter)
  const inputs = values ? withProfileInputs(own, values, { ...source, root }, reporter) : own
  const inputTypes = inputsType(childOf(root, 'inputs'), inputs)
  const variables = readVariables(root, namesForVariables(inputTypes), { templates, checker, reporter })
  const env = namesOf(childOf(root, 'env'))

  const context = { stepTypes, defaults: readDefaults(root), templates, reporter }
  const drafts = (['steps', 'onFailure', 'finally'] as const).flatMap((section) => readSteps(root, section, context))
  const steps = drafts.filter(isStepDraft)
  reportUnknownTypes(steps, stepTypes, reporter)
  const graph = stepGraph(drafts, reporter)
  const names = documentNames({ inputs: inputTypes, env, variables: variables.type }, drafts, graph)
  const itemTypes = checkSteps(drafts, names, checker, reporter)
  const namesIn = (step: StepDraft) => names.in({ step, recorded: true, item: itemTypes.get(step) })
  checkNestedDocuments(steps, source, namesIn, { checker, reporter })

  const triggers = readTriggers(root, templates, reporter)
  checkForMachine({ root, inputs, drafts: steps, triggers }, source, reporter)
  checkTriggersOf({ root, inputs, triggers }, source, names, { checker, reporter })

  const outputs = templates.readEntries(childOf(root, 'outputs'))
  for (const output of Object.values(outputs)) checker.template(output, names.in({ recorded: true }))
  const concurrency = readConcurrency(root, templates)
  if (concurrency) checker.template(concurrency.group, names.beforeRun, { type: 'string' })
  const known = {
    inputs: Object.keys(inputs),
    variables: Object.keys(variables.declared),
    steps: drafts.map(({ step }) => step.id),
  }
  for (const { withEntry } of steps) warnOfBareNames(withEntry?.value, { ...known, env }, reporter)
  warnOfBareNames(childOf(root, 'outputs'), known, reporter)
  warnOfSameThing(steps, reporter)
  return {
    file,
    name: nameOf(root),
    description: textOf(childOf(root, 'description')),
    owner: textOf(childOf(root, 'owner')),
    inputs,
    variables: variables.declared,
    env,
    ...triggersOfProfile(triggers, values),
    concurrency,
    notify: readNotify(childOf(root, 'notify'), source.channels, reporter),
    timeoutMs: durationAt(root, 'timeout'),
    ...sectionsOf(drafts, graph, itemTypes),
    outputs,
    readsLast: templates.readsRoot('last'),
  }
}

function nameOf(root: DocumentNode): string {
  return textOf(childOf(root, 'name')) ?? ''
}

/** The names in a list, or the keys of a map that was written instead of the list. Such a map has been reported. */
function namesOf(node: DocumentNode | undefined): string[] {
  return [...itemsOf(node).flatMap((name) => textOf(name) ?? []), ...entriesOf(node).map(([name]) => name)]
}

/** Checks the documents that steps run, if they can be read. */
function checkNestedDocuments(
  steps: readonly StepDraft[],
  { file, stepTypes, readDocument, within = [resolve(file)], policy, values }: DocumentSource,
  namesIn: (step: StepDraft) => Names,
  deps: { checker: ExpressionChecker; reporter: DiagnosticCollector },
): void {
  if (!readDocument || !steps.some(({ step }) => step.uses === NESTING_STEP)) return
  const load = (path: string) => {
    const nested = readDocument(path)
    if (nested === undefined || 'unread' in nested) return nested
    return loadPipeline({ ...nested, file: path, stepTypes, readDocument, within: [...within, path], policy, values })
  }
  checkNested(steps, { file, within, load, policy }, namesIn, deps)
}

/** Checks a document against the policy and the files of this machine. */
function checkForMachine(
  document: CheckedDocument,
  { file, text, policy, files }: DocumentSource,
  reporter: DiagnosticCollector,
): void {
  if (policy) {
    checkPolicy(document, { file, text, policy }, reporter)
    checkPrepared(document.drafts, policy, reporter)
    checkListSources(document.drafts, policy, reporter)
  }
  if (files) checkFilesExist(document, { file, files, policy }, reporter)
}

function checkTriggersOf(
  { root, inputs, triggers }: Omit<CheckedDocument, 'drafts'>,
  source: DocumentSource,
  names: DocumentNames,
  { checker, reporter }: { checker: ExpressionChecker; reporter: DiagnosticCollector },
): void {
  const { values, others, isStored } = source
  if (values) checkTriggerProfiles(triggers, values, reporter)
  if (others) checkAfter(nameOf(root), triggers, others, reporter)
  checkTriggers(triggers, inputs, (trigger) => names.forTrigger(trigger, others), {
    checker,
    reporter,
    source,
    declared: childOf(root, 'inputs'),
    isComplete: ({ trigger }) => isStored === undefined && isOfProfile(trigger, values),
  })
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

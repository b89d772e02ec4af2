import { dirname, resolve } from 'node:path'
import type { InputDeclaration } from '../core/pipeline.ts'
import type { PolicyProblem } from '../core/policy.ts'
import type { Template } from '../core/template.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, type Span, textOf } from '../document/document-node.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { documentFileNodes, fileNodes, type WithFiles } from './named-files.ts'
import type { StepDraft } from './read-steps.ts'
import type { TriggerDraft } from './read-triggers.ts'
import { scalarOffsets } from './scalar-offsets.ts'

/** The document that is checked. */
interface Source {
  readonly file: string
  readonly text: string
  readonly policy: DocumentPolicy
}

/** What has been read from the document: the parts that name files, and the triggers. */
export interface CheckedDocument extends WithFiles {
  readonly triggers: readonly TriggerDraft[]
}

/** Checks what a document accesses, as far as this is known without expressions. A run checks everything again. */
export function checkPolicy(document: CheckedDocument, source: Source, reporter: DiagnosticCollector): void {
  const { root, inputs, drafts, triggers } = document
  const { policy } = source
  const folder = dirname(resolve(source.file))
  const checkFile = (node: DocumentNode | undefined) => reportFile(node, folder, folder, policy, reporter)
  for (const item of itemsOf(childOf(root, 'env'))) reportPolicy(policy.env(textOf(item) ?? ''), item, reporter)
  for (const node of documentFileNodes(document)) checkFile(node)
  for (const draft of drafts) if (draft.step.uses === 'notify.webhook') checkUrl(draft, source, reporter)
  for (const { node } of triggers) {
    const watch = childOf(node, 'watch')
    for (const key of ['path', 'done', 'failed']) checkFile(childOf(watch, key))
    checkInputFiles(childOf(node, 'inputs'), inputs, { folder, documentFolder: folder, policy }, reporter)
  }
}

/** Checks the files that a pipeline gets as inputs; relative paths are resolved against its `folder`. */
export function checkInputFiles(
  given: DocumentNode | undefined,
  inputs: Readonly<Record<string, InputDeclaration>>,
  place: { folder: string; documentFolder: string; policy: DocumentPolicy },
  reporter: DiagnosticCollector,
): void {
  for (const [name, { value }] of entriesOf(given)) {
    const declaration = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    for (const node of declaration ? fileNodes(declaration, value) : []) {
      reportFile(node, place.folder, place.documentFolder, place.policy, reporter)
    }
  }
}

/** Reports a policy problem at a position in the document. */
export function reportPolicy(problem: PolicyProblem | undefined, place: Span, reporter: DiagnosticCollector): void {
  if (problem?.severity === 'error') reporter.error(problem, place)
  else if (problem) reporter.warning(problem, place)
}

function reportFile(
  node: DocumentNode | undefined,
  folder: string,
  documentFolder: string,
  policy: DocumentPolicy,
  reporter: DiagnosticCollector,
): void {
  const path = textOf(node)
  if (!node || path === undefined || path.trim() === '' || path.includes('${{')) return
  reportPolicy(policy.file(resolve(folder, path), documentFolder), node, reporter)
}

function checkUrl({ step, withEntry }: StepDraft, { text, policy }: Source, reporter: DiagnosticCollector): void {
  const node = childOf(withEntry?.value, 'url')
  const template = step.with.entries.url
  const known = template && constantPart(template)
  const url = known === undefined ? null : URL.parse(known)
  if (node?.kind !== 'scalar' || known === undefined || !url) return
  const start = known.indexOf('//') + 2
  const end = /[/?#\\]|$/.exec(known.slice(start))?.index ?? 0
  const offsets = scalarOffsets(text, node)
  const span = { start: offsets.at(start), end: offsets.at(start + end - 1) + 1 }
  reportPolicy(policy.host(url), span, reporter)
}

/** A URL, or a prefix of one with the whole host, that does not depend on expressions. */
function constantPart(template: Template): string | undefined {
  if (template.kind === 'value') return typeof template.value === 'string' ? template.value : undefined
  const [first] = template.kind === 'text' ? template.parts : []
  return typeof first === 'string' && /^https?:\/\/[^/?#\\]+[/?#\\]/i.test(first) ? first : undefined
}

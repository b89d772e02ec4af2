import { type Pipeline, sectionEntries, stepsOf, withoutBlocks } from '../core/pipeline.ts'
import type { StoredRecord } from '../core/run.ts'
import type { Template } from '../core/template.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { parseExpression } from '../expressions/parse.ts'
import { referencesIn } from '../expressions/references.ts'
import { stepsInside } from '../membership/kept-lists.ts'
import { recordedPipeline } from '../runs/recorded-run.ts'

/** The facts from the records of a run: its document, and the steps that succeeded. */
export interface RecordedSteps {
  /** Undefined if this version cannot read the document. */
  readonly document: Pipeline | undefined
  /** The ids of the steps that succeeded, in at least one item. */
  readonly done: ReadonlySet<string>
}

/** The document of a run, and its steps that succeeded. */
export function recordedSteps(records: readonly StoredRecord[]): RecordedSteps {
  const done = records.flatMap(({ record }) => {
    if (record.type !== 'step.finished' || record.status !== 'succeeded') return []
    const inside = record.keptFrom === undefined ? [] : stepsInside(record)
    return [record.step, ...inside.map(({ step }) => step)]
  })
  return { document: recordedPipeline(records, readPipeline), done: new Set(done) }
}

/** Whether a step of a run prepared a list that a later step may have sent; true if the document cannot be read. */
export function isUploaded(stepId: string, { document, done }: RecordedSteps): boolean {
  return !document || uploadsOf(document).some(({ id, from }) => done.has(id) && (!from || from.has(stepId)))
}

/** The id of the step in the key of an execution, such as `list`, `list[3]` or `audience[x].list`. */
export function stepIdIn(stepKey: string): string {
  const inBlock = stepKey.endsWith(']') ? -1 : stepKey.lastIndexOf('].')
  return inBlock >= 0 ? stepKey.slice(inBlock + 2) : (stepKey.split('[')[0] ?? stepKey)
}

interface Upload {
  readonly id: string
  /** The steps from which its file can come; undefined if they are not known. */
  readonly from: ReadonlySet<string> | undefined
}

function uploadsOf(document: Pipeline): readonly Upload[] {
  const preparing = new Set(stepsOf(document).flatMap(({ id, uses }) => (uses === 'files.prepare' ? [id] : [])))
  return sectionEntries(document).flatMap((entry) =>
    withoutBlocks([entry]).flatMap((step) => {
      if (step.uses !== 'files.upload') return []
      const { file } = step.with.entries
      // Inside a forEach, the file can come from its items.
      const ids = stepsIn([file, entry.forEach?.items], entry.forEach?.as)
      return [{ id: step.id, from: ids && [...ids].every((id) => preparing.has(id)) ? ids : undefined }]
    }),
  )
}

/** The ids of the steps that templates read; undefined if one is not known. */
function stepsIn(
  templates: readonly (Template | undefined)[],
  item: string | undefined,
): ReadonlySet<string> | undefined {
  const ids = new Set<string>()
  for (const template of templates) {
    if (!template || template.kind === 'value') continue
    if (template.kind !== 'expression') return undefined
    const parsed = parseExpression(template.expression.source)
    if ('problem' in parsed) return undefined
    for (const { root, path } of referencesIn(parsed.node).reads) {
      if (root === 'inputs' || root === item) continue
      if (root !== 'steps' || path[0] === undefined) return undefined
      ids.add(path[0])
    }
  }
  return ids
}

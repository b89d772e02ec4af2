import type { Settings } from '../config/settings.ts'
import { PipelineDocuments } from '../daemon/documents/pipeline-documents.ts'
import { pipelineReader } from '../daemon/documents/read-pipeline.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { pathOf } from '../triggers/watch/watch.ts'
import type { NextRun } from './held-keys-report.ts'
import { nextSlots } from './next-slots.ts'

/** Finds what starts the next run of the pipeline of a run, from the documents as they are now. */
export function nextRunFinder(
  settings: Settings,
  { runs, occurrences }: Pick<ReadableState, 'runs' | 'occurrences'>,
  now: number,
): (run: RunRow) => Promise<NextRun> {
  let read: Promise<PipelineDocuments> | undefined
  return async ({ runId, pipeline: name }) => {
    read ??= readDocuments(settings)
    const document = (await read).documents.get(name)
    if (!document) {
      const file = (await runs.submission(runId))?.file ?? `${name}.yaml`
      return { kind: 'command', command: `audience run ${file}` }
    }
    const { pipeline } = document
    const paused = (await occurrences.memories()).filter(({ pausedAt }) => pausedAt !== undefined)
    const schedules = pipeline.triggers.flatMap((trigger) =>
      trigger.kind === 'schedule' && !paused.some((one) => one.pipeline === name && one.trigger === trigger.id)
        ? [{ ...document, trigger }]
        : [],
    )
    const [slot] = nextSlots(schedules, { after: now, limit: 1, checkFile: fileCheck(settings.policy) }).slots
    if (slot) return { kind: 'slot', schedule: `${name}/${slot.trigger}`, at: slot.startsAt }
    for (const trigger of pipeline.triggers) {
      if (trigger.kind === 'watch') return { kind: 'file', folder: pathOf({ ...document, trigger }) }
    }
    return { kind: 'command', command: `audience run ${document.file}` }
  }
}

async function readDocuments(settings: Settings): Promise<PipelineDocuments> {
  const documents = new PipelineDocuments(settings.pipelines, pipelineReader(settings))
  await documents.scan()
  return documents
}

import type { Settings } from '../config/settings.ts'
import { sourcePath } from '../core/pipeline.ts'
import { type DocumentsInUse, documentsOf } from '../daemon/deployment/documents-in-use.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { pathOf } from '../triggers/watch/watch.ts'
import type { NextRun } from './held-keys-report.ts'
import { nextSlots } from './next-slots.ts'

/** Finds what starts the next run of the pipeline of a run, from the documents as they are now. */
export function nextRunFinder(
  settings: Settings,
  { runs, occurrences, deployments }: Pick<ReadableState, 'runs' | 'occurrences' | 'deployments'>,
  now: number,
): (run: RunRow) => Promise<NextRun> {
  let read: Promise<DocumentsInUse> | undefined
  return async ({ runId, pipeline: name }) => {
    read ??= documentsOf(settings, deployments)
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
      if (trigger.kind === 'remote') return { kind: 'file', folder: sourcePath(trigger) }
      if (trigger.kind === 'watch') return { kind: 'file', folder: pathOf({ ...document, trigger }) }
    }
    return { kind: 'command', command: `audience run ${document.file}` }
  }
}

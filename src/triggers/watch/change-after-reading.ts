import { grouped } from '../../core/format/figures.ts'
import { type Occurrence, triggerName } from '../../core/occurrence.ts'
import { timeOf } from './account-for-file.ts'
import { lookAt } from './look-at.ts'
import type { WatchDeps } from './watch.ts'

/**
 * A sentence if a taken file is not what was read of it any more, because its writer had paused for longer than `settle`
 * and then wrote on. It becomes an occurrence of its own, so that people are notified of it, before the file moves: if
 * this process dies in between, the next one finds it there.
 */
export async function changeAfterReading(
  { disk, occurrenceStore, log }: Pick<WatchDeps, 'disk' | 'occurrenceStore' | 'log'>,
  { pipeline, trigger, at, runId, detail = {} }: Occurrence,
  path: string,
): Promise<string | undefined> {
  const { name, size, modifiedAt, ticket } = detail
  const ref = { pipeline, trigger }
  const key = `changed ${ticket}`
  const now = await lookAt(disk, path)
  // It has been moved already: what was found before that counts.
  if (!now) return (await occurrenceStore.find({ ...ref, key }))?.reason
  if (now.size === Number(size) && timeOf(now.mtimeMs) === modifiedAt) return undefined
  const reason = `it was written to after it had been read: it had ${grouped(Number(size))} bytes then, and has ${grouped(now.size)} now`
  const occurrence = {
    key,
    at,
    state: 'failed',
    reason,
    detail: { name, file: path, size: now.size, changed: true },
  } as const
  await occurrenceStore.note(ref, { occurrences: [occurrence] })
  log.warn(
    { ...ref, file: name, runId, reason },
    `${triggerName(ref)} has a file ${name} that changed after it was read`,
  )
  return reason
}

import type { StoredRecord } from '../../src/core/run.ts'
import type { Journal, NewRun } from '../../src/state/journal.ts'

/** The process died: nothing later is on disk. */
class Crash extends Error {}

/** A journal in memory that fails after `appends` appends. What was appended before stays. */
export function memoryJournal(disk: Map<string, StoredRecord[]>, appends = Number.POSITIVE_INFINITY): Journal {
  let left = appends
  const write = async (runId: string, records: readonly StoredRecord[], taken?: () => void) => {
    // As with a disk, the answer comes later.
    await null
    taken?.()
    if (left-- <= 0) throw new Crash()
    const kept = disk.get(runId) ?? []
    if (records[0]?.seq !== kept.length) throw new Error(`record ${records[0]?.seq} of ${runId} does not follow`)
    disk.set(runId, [...kept, ...records])
  }
  return {
    async submit({ runId, at, record }: NewRun) {
      if (disk.has(runId)) return { runId, existing: true, state: 'existing' }
      await write(runId, [{ seq: 0, at, record }])
      return { runId, existing: false, state: 'running' }
    },
    append: write,
    records: (runId, after = -1) => (disk.get(runId) ?? []).slice(after + 1),
    recordsTogether: () => (runId) => disk.get(runId) ?? [],
    admit: async () => [],
    claim: async () => true,
    owns: () => true,
    lost: () => [],
    held: () => [],
    release: async () => undefined,
    send: async () => undefined,
    messages: () => [],
    acknowledge: async () => undefined,
    find: () => undefined,
    orphans: () => [],
    lastSuccess: () => undefined,
    guardValues: () => [],
    close: () => undefined,
  }
}

import { NEVER } from '../../core/clock.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { messageOf } from '../../core/message-of.ts'
import { type TriggerRef, triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { createLimit, inTurn } from '../../core/one-at-a-time.ts'
import { repeat } from '../../core/repeat.ts'
import { RemoteFiles } from './remote-files.ts'
import { RemoteInbox } from './remote-inbox.ts'
import type { RemoteDeps, RemoteWatch } from './remote-watch.ts'

/** All triggers of a process that take files from other machines. */
export type RemoteWatcher = ReturnType<typeof startRemoteWatcher>

/** How soon after the end of a run its file is filed away. */
const TICK_MS = 1000
/** Files of documents that no longer exist are searched for once in this many ticks. */
const TICKS_PER_SEARCH = 60
/** How many files are read at the same time. */
const READ_AT_ONCE = 4

/** Takes files from other machines: checks each source at intervals, one check at a time. */
export function startRemoteWatcher(deps: RemoteDeps) {
  const { clock, ledger, log } = deps
  const stopping = new AbortController()
  const reading = createLimit(READ_AT_ONCE)
  const looking = inTurn()
  const files = new Map<string, RemoteFiles>()
  const inboxes = new Map<string, RemoteInbox>()
  const closing = new Set<Promise<void>>()

  const filesOf = (ref: TriggerRef) => {
    const id = triggerName(ref)
    const known = files.get(id)
    if (known) return known
    const onReadOnly = (error: unknown) => inboxes.get(id)?.onReadOnly(error)
    const onMoved = () => inboxes.get(id)?.onMoved()
    const added = new RemoteFiles(ref, deps, { reading, stopping: stopping.signal, onReadOnly, onMoved })
    files.set(id, added)
    return added
  }
  const close = (id: string, inbox: RemoteInbox) => {
    inboxes.delete(id)
    const closed = inbox.close().finally(() => closing.delete(closed))
    closing.add(closed)
  }
  let tick = 0
  const fileEnded = async () => {
    const isSearching = tick % TICKS_PER_SEARCH === 0
    tick += 1
    // This includes triggers whose documents are gone.
    if (isSearching) for (const ref of await ledger.triggers()) filesOf(ref)
    for (const each of files.values()) if (each.size > 0 || isSearching) await each.ended.file()
  }
  const { signal } = stopping
  const failed = (error: unknown) =>
    signal.aborted || log.warn({ error: messageOf(error) }, 'files from other machines could not be filed away')
  const ticking = repeat(fileEnded, { clock, everyMs: TICK_MS, dueMs: NEVER, signal, failed })

  return {
    /** Sets the triggers to use from now on. Files in progress from other triggers are still filed away. */
    replace(watches: readonly RemoteWatch[]) {
      const wanted = new Map(watches.map((watch) => [triggerName(triggerRefOf(watch)), watch]))
      for (const [id, inbox] of [...inboxes]) if (!wanted.has(id)) close(id, inbox)
      for (const [id, each] of files) each.use(wanted.get(id))
      for (const [id, watch] of wanted) {
        const its = filesOf(triggerRefOf(watch))
        its.use(watch)
        const inbox = inboxes.get(id)
        if (inbox) inbox.use(watch)
        else inboxes.set(id, new RemoteInbox(watch, deps, { files: its, inTurn: looking }))
      }
      // Waits for the checks that are ending, because they still write their records.
      const tidied = Promise.all([...closing]).then(() => ledger.keepLooks(watches.map(triggerRefOf)))
      tidied.catch((error: unknown) => {
        if (!isStateAway(error))
          log.warn({ error: messageOf(error) }, 'the records of past checks could not be tidied up')
      })
    },
    /** Stops looking, taking, firing and filing. The next start finds the files in progress. */
    async stop() {
      stopping.abort()
      for (const [id, inbox] of [...inboxes]) close(id, inbox)
      await ticking
      await Promise.all([...closing])
      for (const each of files.values()) await each.idle()
    },
  }
}

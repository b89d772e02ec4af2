import { NEVER } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { count } from '../../core/format/figures.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { messageOf } from '../../core/message-of.ts'
import { type TriggerRef, triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { createLimit } from '../../core/one-at-a-time.ts'
import { repeat } from '../../core/repeat.ts'
import { localDisk } from './disk.ts'
import { watchFolders } from './folder-events.ts'
import { Inbox } from './inbox.ts'
import { TriggerFiles } from './trigger-files.ts'
import { attentiveDisk } from './unanswered-calls.ts'
import { pathOf, type Watch, type WatchDeps } from './watch.ts'
import { WatchTriggers } from './watch-triggers.ts'

/** All watched folders of a process. */
export type Watcher = ReturnType<typeof startWatcher>

export interface FolderState extends TriggerRef {
  readonly path: string
  /** Files in the folder that match and have not been taken yet. */
  readonly waiting: number
  /** Files whose run has not ended, or that have yet to be moved. */
  readonly underWay: number
  /** How many of these files cannot be moved at present. */
  readonly stuck: number
  readonly whyStuck?: string
  /** Why the folder cannot be watched at present. */
  readonly problem?: string
}

/** How soon after the end of a run its file is moved. */
const TICK_MS = 1000
/** Each folder is examined once in this many ticks, which finds what events have missed. */
const TICKS_PER_SWEEP = 5
/** Files of documents that no longer exist are searched for once in this many ticks. */
const TICKS_PER_SEARCH = 60
/** How many files are read at the same time; each takes a few megabytes. */
const READ_AT_ONCE = 4

/**
 * Watches folders. Only reading a folder shows which files it has; events only say when to read it, so none of them is
 * essential.
 */
export function startWatcher(
  given: Omit<WatchDeps, 'disk' | 'watchFolders'> & Partial<Pick<WatchDeps, 'disk' | 'watchFolders'>>,
) {
  const { disk, unanswered } = attentiveDisk(given.disk ?? localDisk, given.clock)
  const deps: WatchDeps = { watchFolders, ...given, disk }
  const { clock, log, occurrenceStore } = deps
  const stopping = new AbortController()
  const reading = createLimit(READ_AT_ONCE)
  const files = new Map<string, TriggerFiles>()
  const inboxes = new Map<string, Inbox>()
  const ofFolder = new Map<string, Set<Inbox>>()
  const closing = new Set<Promise<void>>()
  const logged = new Set<string>()
  const around = new WatchTriggers(disk, clock)

  const events = deps.watchFolders(
    {
      changed: (folder) => {
        for (const inbox of ofFolder.get(folder) ?? []) inbox.wake()
      },
      failed: (error) => {
        const code = codeOf(error) ?? messageOf(error)
        if (!logged.has(code)) log.warn({ error: messageOf(error) }, hintAt(code))
        logged.add(code)
      },
    },
    clock,
  )
  const filesOf = (ref: TriggerRef) => {
    const id = triggerName(ref)
    const known = files.get(id)
    if (known) return known
    const onRoom = () => inboxes.get(id)?.wakeHeld()
    const added = new TriggerFiles(ref, deps, { reading, stopping: stopping.signal, onRoom })
    files.set(id, added)
    return added
  }
  const open = (id: string, watch: Watch) => {
    const inbox = new Inbox(watch, deps, filesOf(triggerRefOf(watch)), around)
    inboxes.set(id, inbox)
    const others = ofFolder.get(inbox.path)
    if (others) others.add(inbox)
    else ofFolder.set(inbox.path, new Set([inbox]))
  }
  /** Requests events only for a folder that exists, because for a missing folder, chokidar watches its whole parent. */
  const examine = async (inbox: Inbox) => {
    const isAnother = await inbox.sweep()
    if (!isAnother || stopping.signal.aborted || !ofFolder.has(inbox.path)) return
    events.remove(inbox.path)
    events.add(inbox.path)
  }
  const close = (id: string, inbox: Inbox) => {
    inboxes.delete(id)
    const closed = inbox.close().finally(() => closing.delete(closed))
    closing.add(closed)
    const others = ofFolder.get(inbox.path)
    others?.delete(inbox)
    if (others?.size !== 0) return
    ofFolder.delete(inbox.path)
    events.remove(inbox.path)
  }

  const failed = (error: unknown) => {
    if (!stopping.signal.aborted && !isStateAway(error))
      log.warn({ error: messageOf(error) }, 'the watched folders could not be checked')
  }
  const filing = new Map<TriggerFiles, Promise<void>>()
  let tick = 0
  const fileEnded = async () => {
    tick += 1
    const isSearching = tick % TICKS_PER_SEARCH === 0
    // This includes triggers that are no longer watched: their files in progress are filed away when the runs end.
    if (isSearching) for (const ref of await occurrenceStore.memories()) filesOf(ref)
    for (const each of files.values()) {
      if (filing.has(each) || (each.size === 0 && !isSearching) || !(await each.hasEnded())) continue
      // A trigger never waits for the folders of another one, whose file system may not answer.
      const filed = each.fileEnded().catch(failed)
      filing.set(each, filed)
      void filed.then(() => filing.delete(each))
    }
  }
  let round = 0
  const sweep = async () => {
    round += 1
    let at = 0
    for (const inbox of inboxes.values()) {
      at += 1
      if (at % TICKS_PER_SWEEP === round % TICKS_PER_SWEEP) await examine(inbox)
    }
  }
  // The two tasks run separately, so that a file system that does not answer delays only the checks, and not the files
  // whose runs have ended.
  const ticking = [fileEnded, sweep].map((work) =>
    repeat(work, { clock, everyMs: TICK_MS, dueMs: NEVER, signal: stopping.signal, failed }),
  )

  return {
    /**
     * Sets the folders to watch from now on, by pipeline and trigger. Files in progress from a folder that is no longer
     * in the list are still filed away.
     */
    replace(watches: readonly Watch[]) {
      const wanted = new Map(watches.map((watch) => [triggerName(triggerRefOf(watch)), watch]))
      for (const [id, inbox] of [...inboxes]) {
        const watch = wanted.get(id)
        if (!watch || pathOf(watch) !== inbox.path) close(id, inbox)
      }
      for (const [id, watch] of wanted) {
        filesOf(triggerRefOf(watch)).use(watch)
        const inbox = inboxes.get(id)
        if (inbox) inbox.use(watch)
        else open(id, watch)
      }
      // All triggers are known before the first check, because together they may move files in a circle.
      around.replace([...wanted.values()])
      for (const inbox of inboxes.values()) {
        inbox.wake()
        void examine(inbox)
      }
    },
    status: (): readonly FolderState[] =>
      [...inboxes].map(([id, inbox]) => {
        const { ref, path, waiting } = inbox
        const problem = unanswered(inbox.folders) ?? inbox.problem
        const { size: underWay = 0, stuck = { stuck: 0 } } = files.get(id) ?? {}
        return { ...ref, path, waiting, underWay, ...stuck, problem }
      }),
    /** Stops taking, firing and filing. The next start finds the files in progress. */
    async stop() {
      stopping.abort()
      await events.close()
      for (const [id, inbox] of [...inboxes]) close(id, inbox)
      await Promise.all(ticking)
      await Promise.all(filing.values())
      await Promise.all([...closing])
      for (const each of files.values()) await each.idle()
    },
  }
}

/**
 * A sentence that says why files cannot be taken or moved, for the first folder with a problem; undefined if there is
 * none.
 */
export function folderTrouble(folders: readonly FolderState[]): string | undefined {
  const [first, ...others] = folders.filter(({ problem, stuck }) => problem !== undefined || stuck > 0)
  if (!first) return undefined
  const { path, problem, stuck, whyStuck } = first
  const why = whyStuck === undefined ? '' : `: ${whyStuck}`
  const what = problem ?? `${count(stuck, 'file')} cannot be moved to done or failed${why}`
  return `${path}: ${what}${others.length > 0 ? ` (and ${others.length} more)` : ''}`
}

function hintAt(code: string): string {
  const anyway = 'the watched folders are still checked every few seconds'
  if (code === 'ENOSPC') return `the system has no watches left: ${anyway}; raise fs.inotify.max_user_watches`
  if (code === 'EMFILE')
    return `too many files or watches are open: ${anyway}; raise fs.inotify.max_user_instances or ulimit -n`
  return `the system does not report changes: ${anyway}`
}

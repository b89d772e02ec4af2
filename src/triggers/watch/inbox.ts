import { codeOf } from '../../core/code-of.ts'
import { messageOf, reasonOf } from '../../core/message-of.ts'
import { type TriggerRef, triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { createLimit, oneAtATime } from '../../core/one-at-a-time.ts'
import { decideSettled, isSame, type Seen } from './decide-settled.ts'
import { type FilePattern, filePattern } from './file-pattern.ts'
import { type FoundFile, findFiles, type IgnoredFile, ignoredOccurrence } from './find-files.ts'
import { requireFolderAt } from './look-at.ts'
import { findRivals, findRound, RIVALS_HINT, rivalsText, roundText, type Stop, type Stops } from './stops.ts'
import { takenFolder } from './taken-files.ts'
import type { TriggerFiles } from './trigger-files.ts'
import { trustedWay } from './trusted-way.ts'
import { foldersOf, pathOf, type Watch, type WatchDeps } from './watch.ts'
import type { WatchTriggers } from './watch-triggers.ts'

/** The pause between two checks of a busy folder; it is longer if a check takes a long time. */
const PAUSE_MS = 20
/** How many files are taken at the same time. */
const TAKEN_AT_ONCE = 8
/** A file that could not be taken is tried again after this time. */
const RETRY_MS = 60_000
/** Errors that only a person can fix. */
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])
/** The value of `#mark` for a folder that does not exist. */
const MISSING = 'missing'

/**
 * The watched folder of a trigger: examines it when woken, and takes the settled files. It has no timer while no file
 * is waiting.
 */
export class Inbox {
  readonly path: string
  readonly #deps: WatchDeps
  readonly #files: TriggerFiles
  readonly #closing = new AbortController()
  readonly #around: WatchTriggers
  #watch: Watch
  #pattern: FilePattern
  /** The patterns of other triggers for the same folder, as of the last check. */
  #beside: readonly FilePattern[] = []
  /** The version of the other triggers for which it was checked that files do not move in a circle. */
  #checked = -1
  #rivals = ''
  #seen = new Map<string, Seen>()
  readonly #refused = new Map<string, { readonly file: FoundFile; readonly retryAt: number }>()
  /** The reported names of files that still exist. */
  #ignored: ReadonlySet<string> = new Set()
  /** Whether files wait here until fewer files are in progress, or until a pause ends. No event will come for them. */
  #isHeld = false
  #isRecovered = false
  #problem: string | undefined
  #timer: AbortController | undefined
  #mark = MISSING
  #markStayed = false
  readonly #turn = oneAtATime(() => this.#tryTurn())

  constructor(watch: Watch, deps: WatchDeps, files: TriggerFiles, around: WatchTriggers) {
    this.path = pathOf(watch)
    this.#deps = deps
    this.#files = files
    this.#around = around
    this.#watch = watch
    this.#pattern = filePattern(watch.trigger.pattern)
  }

  get ref(): TriggerRef {
    return triggerRefOf(this.#watch)
  }

  /** How many of the files that the last check found are waiting here. */
  get waiting(): number {
    return this.#seen.size
  }

  /** All folders that it works in. */
  get folders(): readonly string[] {
    return foldersOf(this.#watch)
  }

  /** Why the folder cannot be watched at present. */
  get problem(): string | undefined {
    return this.#problem
  }

  use(watch: Watch): void {
    this.#watch = watch
    this.#pattern = filePattern(watch.trigger.pattern)
  }

  /** Call it when the folder may have changed. */
  wake(): void {
    if (!this.#closing.signal.aborted) void this.#turn()
  }

  /** Call it when more files can be taken. */
  wakeHeld(): void {
    if (this.#isHeld) this.wake()
  }

  /**
   * Checks the folder's modification time for changes that the events have missed, which costs almost nothing. Resolves
   * to whether the name now belongs to another folder.
   */
  async sweep(): Promise<boolean> {
    const stats = await this.#deps.disk.stat(this.path).catch(() => undefined)
    const before = this.#mark
    this.#mark = stats ? `${stats.ino} ${stats.mtimeMs}` : MISSING
    // A file that arrives after a check, within one tick of the file system's clock, does not change the folder's time.
    const isSure = this.#markStayed
    this.#markStayed = before === this.#mark
    if (!stats || this.#isHeld || this.#problem !== undefined || !this.#markStayed || !isSure) this.wake()
    return stats !== undefined && before.split(' ')[0] !== String(stats.ino)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#turn()
  }

  async #tryTurn(): Promise<void> {
    const { signal } = this.#closing
    const { clock, log } = this.#deps
    if (signal.aborted) return
    const begin = clock.steady()
    try {
      await this.#look()
      this.#problem = undefined
    } catch (error) {
      const problem = messageOf(error)
      if (problem !== this.#problem) {
        log.warn(
          { ...this.ref, folder: this.path, error: problem },
          'a folder cannot be watched; this will be retried (audience start needs to read and write in the folder)',
        )
      }
      this.#problem = problem
    }
    // This uses the steady clock, because setting the wall clock must not prolong the wait.
    await clock.sleep(Math.max(PAUSE_MS, 2 * (clock.steady() - begin)), signal).catch(() => undefined)
  }

  async #look(): Promise<void> {
    const { disk, clock, occurrenceStore, checkFile, checkShared } = this.#deps
    for (const folder of this.folders) checkShared?.(folder)
    checkFile(this.path)
    for (const folder of this.folders)
      await requireFolderAt(disk, folder, await trustedWay(disk, folder, this.#watch.folder))
    checkFile(takenFolder(this.path, this.ref))
    await this.#refuseRound()
    if (!this.#isRecovered) await this.#files.recover(this.path)
    this.#isRecovered = true
    const { pausedAt } = (await occurrenceStore.memory(this.ref)) ?? {}
    this.#isHeld = pausedAt !== undefined || this.#files.room <= 0
    if (this.#isHeld) return
    const { files, ignored } = await this.#found()
    // Other triggers were added or removed since the check, so another check has been requested.
    if (this.#checked !== this.#around.version) return
    await this.#report(ignored)
    const { seen, settled, nextAt } = decideSettled(files, this.#seen, {
      now: clock.now(),
      settleMs: this.#watch.trigger.settleMs,
    })
    this.#seen = seen
    for (const name of this.#refused.keys()) if (!seen.has(name)) this.#refused.delete(name)
    const takeable = settled.filter((file) => !this.#isRefused(file))
    const taken = takeable.slice(0, this.#files.room)
    this.#isHeld = taken.length < takeable.length
    const limit = createLimit(TAKEN_AT_ONCE)
    await Promise.all(taken.map((file) => limit(() => this.#take(file))))
    let wakeAt = nextAt ?? Number.POSITIVE_INFINITY
    for (const { retryAt } of this.#refused.values()) wakeAt = Math.min(wakeAt, retryAt)
    this.#wakeAt(wakeAt)
  }

  /** Reports each ignored file once: in the log, and in the occurrence store, which is the source of notifications. */
  async #report(ignored: readonly IgnoredFile[]): Promise<void> {
    const { log } = this.#deps
    const fresh = ignored.filter(({ name }) => !this.#ignored.has(name))
    // The record comes first. If the state cannot be written now, the next check of the folder tries again.
    if (fresh.length > 0) await this.#note(fresh)
    this.#ignored = new Set(ignored.map(({ name }) => name))
    for (const { name, why } of fresh)
      log.warn({ ...this.ref, folder: this.path, file: name, reason: why }, 'a file is ignored')
  }

  async #note(ignored: readonly IgnoredFile[]): Promise<void> {
    const { clock, occurrenceStore } = this.#deps
    const occurrences = ignored.map((file) => ignoredOccurrence(file, { folder: this.path, at: clock.now() }))
    await occurrenceStore.note(this.ref, { occurrences })
  }

  async #found() {
    const { disk, log } = this.#deps
    const isOthers = (name: string) => this.#isOthers(name)
    const wanted = { pattern: this.#pattern, isOthers, used: this.folders }
    try {
      return await findFiles(disk, this.path, wanted)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
    await disk.mkdir(this.path, { recursive: true })
    // The next sweep treats this as a different folder, even if it has the inode of the previous one.
    this.#mark = MISSING
    log.info({ ...this.ref, folder: this.path }, `${triggerName(this.ref)} made the folder ${this.path} to watch it`)
    return findFiles(disk, this.path, wanted)
  }

  #isOthers(name: string): boolean {
    return this.#beside.some((other) => other.matches(name))
  }

  /**
   * Throws if files would come back to this folder; in that case, nothing is taken. Links and mounts may have changed
   * since the last check.
   */
  async #refuseRound(): Promise<void> {
    const { version } = this.#around
    const [own, stops] = await Promise.all([this.#around.stopOf(this.#watch), this.#around.stops()])
    const beside = [...stops.at(own.path)].filter(({ name }) => name !== own.name)
    this.#beside = beside.map(({ pattern }) => filePattern(pattern))
    this.#warnOfRivals(own, stops)
    const round = findRound(own, stops)
    if (round) throw new Error(roundText(round))
    this.#checked = version
  }

  #warnOfRivals(own: Stop, stops: Stops): void {
    const rivals = this.#beside.length > 0 ? findRivals(own, stops) : []
    const before = this.#rivals
    this.#rivals = rivals.map(({ name }) => name).join()
    if (rivals.length === 0 || this.#rivals === before) return
    const about = { ...this.ref, folder: this.path, hint: RIVALS_HINT }
    this.#deps.log.warn(about, `${own.name}: ${rivalsText(own, rivals, this.path)}`)
  }

  #isRefused(file: FoundFile): boolean {
    const refused = this.#refused.get(file.name)
    return refused !== undefined && refused.retryAt > this.#deps.clock.now() && isSame(refused.file, file)
  }

  async #take(file: FoundFile): Promise<void> {
    const { clock, log } = this.#deps
    if (this.#closing.signal.aborted || this.#checked !== this.#around.version) return
    try {
      await this.#files.take(file, this.path)
      this.#refused.delete(file.name)
      this.#seen.delete(file.name)
    } catch (error) {
      const isFirst = !this.#refused.has(file.name)
      const code = codeOf(error) ?? ''
      if (isFirst) {
        const about = { ...this.ref, folder: this.path, file: file.name, error: messageOf(error) }
        log.warn(about, 'a file cannot be taken out of its folder; this will be retried')
      }
      // Other errors may disappear without help.
      if (NOT_ALLOWED.has(code) || !isFirst) {
        const what = NOT_ALLOWED.has(code)
          ? `cannot be taken out of its folder, because this process is not allowed to do that (${code})`
          : `cannot be taken out of its folder (${reasonOf(error)})`
        await this.#note([{ name: file.name, why: `it ${what}; this will be retried every minute` }]).catch(
          () => undefined,
        )
      }
      this.#refused.set(file.name, { file, retryAt: clock.now() + RETRY_MS })
    }
  }

  #wakeAt(at: number): void {
    this.#timer?.abort()
    if (!Number.isFinite(at)) return
    const timer = new AbortController()
    this.#timer = timer
    const signal = AbortSignal.any([timer.signal, this.#closing.signal])
    const { clock } = this.#deps
    clock.sleep(Math.max(0, at - clock.now()), signal).then(
      () => this.wake(),
      () => undefined,
    )
  }
}

import { basename, join, resolve } from 'node:path'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import { messageOf, reasonOf } from '../../core/message-of.ts'
import { type Occurrence, runStatusIn, type TriggerRef, triggerName } from '../../core/occurrence.ts'
import { createLimit, inTurn, type Limit, oneAtATime } from '../../core/one-at-a-time.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { EndedOccurrence } from '../../state/occurrence-store.ts'
import { accountForFile } from './account-for-file.ts'
import { archiveFile } from './archive-file.ts'
import type { Content } from './content.ts'
import { type FileOutcome, fileOutcomeOf, logOutcome, outcomeOfChanged } from './file-outcome.ts'
import type { FoundFile } from './find-files.ts'
import { lookAt } from './look-at.ts'
import { changeAfterReading } from './note-change.ts'
import { type TargetFolder, targetFolder } from './open-folder.ts'
import { type OwnFolder, OwnFolders, takenOf } from './own-folders.ts'
import type { Placing } from './place-file.ts'
import { readContent } from './read-content.ts'
import { SharedOpenings } from './shared-openings.ts'
import { roundText } from './stops.ts'
import { listTaken, type TakenFile, takeFile, takenFolder } from './taken-files.ts'
import { trustedWay } from './trusted-way.ts'
import type { Watch, WatchDeps } from './watch.ts'

/**
 * The maximum number of a trigger's files that are in progress at the same time; the others wait in the watched folder.
 */
const MAX_OPEN = 1000
/** How many files are moved at the same time. */
const FILED_AT_ONCE = 16
/** Failed work is tried again after this time. */
const RETRY_MS = 15_000
/** The shortest time before a taken file that is still changing is examined again. */
const STILL_MS = 100

interface Around {
  /** Shared by all triggers: limits how many files are read at the same time. */
  readonly reading: Limit
  readonly stopping: AbortSignal
  /** Called when the number of files in progress falls to half of the maximum, or to zero. */
  readonly onRoom: () => void
}

/** The files of a trigger, from taking them to filing them away. */
export class TriggerFiles {
  readonly #ref: TriggerRef
  readonly #deps: WatchDeps
  readonly #around: Around
  readonly #ownFolders: OwnFolders
  readonly #targets: SharedOpenings<TargetFolder>
  #watch: Watch | undefined
  readonly #taken = new Map<string, TakenFile>()
  readonly #working = new Set<Promise<void>>()
  /** If two files have the same content, the second is looked up after the first is accounted for. */
  readonly #alone = inTurn()
  /** The files that cannot be moved, by key. */
  readonly #stuck = new Map<string, { readonly retryAt: number; readonly why: string }>()
  /** Files away the files whose runs have ended, and the files that have no run. */
  readonly fileEnded = oneAtATime(() => this.#fileEnded())

  constructor(ref: TriggerRef, deps: WatchDeps, around: Around) {
    this.#ref = ref
    this.#deps = deps
    this.#around = around
    this.#ownFolders = new OwnFolders(deps.disk, deps.clock, (path) => this.#judged(path))
    this.#targets = new SharedOpenings(deps.clock, async (path) =>
      targetFolder(deps.disk, path, await this.#judged(path)),
    )
  }

  /** How many files are in progress. */
  get size(): number {
    return this.#taken.size
  }

  /** How many of them cannot be moved at present, and why the first of them cannot. */
  get stuck() {
    return { stuck: this.#stuck.size, whyStuck: this.#stuck.values().next().value?.why }
  }

  /** How many more files can be taken. */
  get room(): number {
    return MAX_OPEN - this.#taken.size
  }

  /** The path without links, which may have changed since the folder was checked. */
  async #judged(path: string): Promise<string> {
    const { disk, checkFile } = this.#deps
    checkFile(path)
    const real = await trustedWay(disk, path, this.#watch?.folder)
    // Only the path that was checked is opened.
    checkFile(real)
    return real
  }

  get #places() {
    return { disk: this.#deps.disk, ownFolders: this.#ownFolders }
  }

  /** Whether `fileEnded` has something to do. */
  async hasEnded(): Promise<boolean> {
    return (await this.#deps.occurrenceStore.ended(this.#ref, 1)).some(isOfFolder)
  }

  /** Call it when the document has changed. */
  use(watch: Watch): void {
    this.#watch = watch
  }

  /** Resumes work on the files that an earlier process took out of a watched folder. */
  async recover(watched: string): Promise<void> {
    for (const file of await listTaken(this.#places, takenFolder(watched, this.#ref))) {
      if (this.#taken.has(file.ticket)) continue
      this.#taken.set(file.ticket, file)
      const occurrence = await this.#deps.occurrenceStore.find({ ...this.#ref, key: file.key })
      if (occurrence?.detail?.ticket !== file.ticket) this.#begin(file)
      else if (!occurrence.open && (await this.#isThere(file))) await this.#file(occurrence, runStatusIn(occurrence))
    }
    await this.fileEnded()
  }

  /** Whether the file is still there: `fileEnded` may have filed it away since it was listed. */
  async #isThere(file: TakenFile): Promise<boolean> {
    if (!this.#taken.has(file.ticket)) return false
    if (await lookAt(this.#deps.disk, file.path)) return true
    this.#done(file.ticket)
    return false
  }

  /** Takes a file and processes it in the background. False if the file is no longer there. */
  async take(found: FoundFile, watched: string): Promise<boolean> {
    const { clock, occurrenceStore } = this.#deps
    const now = clock.now()
    const into = takenFolder(watched, this.#ref)
    // The cursor lets a restart find the files in progress even after the document that watched them is removed.
    if (!(await occurrenceStore.memory(this.#ref))) await occurrenceStore.note(this.#ref, { cursor: now })
    const file = await takeFile(this.#places, found, { into, now })
    if (!file) return false
    this.#taken.set(file.ticket, file)
    this.#begin(file)
    return true
  }

  /** Resolves when this process is no longer working on any file. Once the process is stopping, this happens soon. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  #begin(file: TakenFile): void {
    const work = this.#putThrough(file).finally(() => this.#working.delete(work))
    this.#working.add(work)
  }

  async #putThrough(taken: TakenFile): Promise<void> {
    const { clock, log } = this.#deps
    const { stopping } = this.#around
    let told: string | undefined
    while (!stopping.aborted) {
      const file = this.#taken.get(taken.ticket) ?? taken
      try {
        await this.#tryPutThrough(file)
        return
      } catch (error) {
        if (stopping.aborted) return
        const message = messageOf(error)
        const text = 'a file cannot be processed yet; this will be retried'
        if (message !== told) log.warn({ ...this.#ref, file: file.path, error: message }, text)
        told = message
        await clock.sleep(RETRY_MS, stopping).catch(() => undefined)
      }
    }
  }

  async #tryPutThrough(file: TakenFile): Promise<void> {
    const watch = this.#watch
    if (!watch) return
    const content = await this.#contentOf(file, watch)
    if (content.state === 'gone') return this.#done(file.ticket)
    const account = () =>
      accountForFile(this.#deps, {
        ...{ watch, file, content, ownFolders: this.#ownFolders, fileEnded: this.fileEnded },
        moved: (moved) => this.#taken.set(moved.ticket, moved),
      })
    const occurrence = await this.#alone(content.about.sha256 ?? file.ticket, account)
    if (occurrence === undefined) return
    const { state, runId, reason, detail } = occurrence
    this.#deps.log.info(
      { ...this.#ref, file: file.name, state, runId, reason, sha256: detail?.sha256 },
      `${triggerName(this.#ref)} took the file ${file.name}${state === 'ran' ? ` for the run ${runId}` : `; it has no run: ${reason}`}`,
    )
    if (state === 'ran' || state === 'due') return
    if (occurrence.open) await this.fileEnded()
    else await this.#file(occurrence, undefined)
  }

  /** Reads the file after it has stopped changing, because another process may still be writing to it. */
  async #contentOf(file: TakenFile, watch: Watch): Promise<Exclude<Content, { state: 'changed' }>> {
    const { disk, clock } = this.#deps
    const { reading, stopping } = this.#around
    const { settleMs, precheck } = watch.trigger
    let seen: TakenFile['seen'] = file.seen
    for (;;) {
      if (!seen) {
        seen = await lookAt(disk, file.path)
        if (!seen) return { state: 'gone' }
        await clock.sleep(Math.max(settleMs, STILL_MS), stopping)
      }
      const now = { ...file, seen }
      const content = await reading(() =>
        this.#ownFolders.within(takenOf(file.path), ({ wayTo }) =>
          readContent(disk, { ...now, path: wayTo(file.path) }, precheck, stopping),
        ),
      )
      if (content.state !== 'changed') return content
      seen = undefined
    }
  }

  async #fileEnded(): Promise<void> {
    const { occurrenceStore, clock } = this.#deps
    const limit = createLimit(FILED_AT_ONCE)
    for (;;) {
      const now = clock.now()
      const ended = await occurrenceStore.ended(this.#ref, MAX_OPEN)
      const due = ended
        .filter(isOfFolder)
        .filter(({ occurrence }) => (this.#stuck.get(occurrence.key)?.retryAt ?? 0) <= now)
      await Promise.all(due.map(({ occurrence, status }) => limit(() => this.#tryFile(occurrence, status))))
      if (ended.length < MAX_OPEN || due.length === 0 || this.#around.stopping.aborted) return
    }
  }

  async #tryFile(occurrence: Occurrence, status: FinalStatus | undefined): Promise<void> {
    const { clock, log } = this.#deps
    if (this.#around.stopping.aborted) return
    try {
      await this.#file(occurrence, status)
    } catch (error) {
      const { key, runId } = occurrence
      if (!this.#stuck.has(key)) {
        const file = occurrence.detail?.file
        log.warn({ ...this.#ref, file, runId, error: messageOf(error) }, 'a file cannot be moved; this will be retried')
      }
      this.#stuck.set(key, { retryAt: clock.now() + RETRY_MS, why: reasonOf(error) })
    }
  }

  async #file(occurrence: Occurrence, status: FinalStatus | undefined): Promise<void> {
    const { occurrenceStore, log, whyFailed } = this.#deps
    const { detail = {}, key, runId } = occurrence
    const ticket = String(detail.ticket)
    const taken = this.#taken.get(ticket)
    const error = runId === undefined || status === 'succeeded' ? undefined : await whyFailed(runId)
    const placing = { source: taken?.path ?? String(detail.file), name: taken?.name ?? String(detail.name), ticket }
    const { outcome, movedTo } = await this.#ownFolders.within(takenOf(placing.source), (own) =>
      this.#fileFrom(own, placing, { occurrence, ended: fileOutcomeOf(occurrence, status, error) }),
    )
    await occurrenceStore.close(occurrence, { ...detail, outcome: outcome.outcome, movedTo })
    this.#stuck.delete(key)
    this.#done(ticket)
    const what = `${triggerName(this.#ref)} moved the file ${placing.name} to ${movedTo ?? outcome.folder}`
    logOutcome(log, outcome, { what, facts: { ...this.#ref, file: placing.name, runId, movedTo } })
  }

  async #fileFrom(
    own: OwnFolder,
    { source, name, ticket }: Omit<Placing, 'folder' | 'isFolderThere'>,
    { occurrence, ended }: { occurrence: Occurrence; ended: FileOutcome },
  ): Promise<{ readonly outcome: FileOutcome; readonly movedTo: string | undefined }> {
    const { disk } = this.#deps
    const path = own.wayTo(source)
    const change = await changeAfterReading(this.#deps, occurrence, path)
    const outcome = change === undefined ? ended : outcomeOfChanged(ended, change, occurrence.runId)
    const folder = this.#folder(outcome.folder) ?? String(occurrence.detail?.[outcome.folder])
    const mostCopied = this.#watch?.trigger.precheck.maxBytes ?? MAX_UPLOAD_BYTES
    const placed = await this.#targets.within(folder, async ({ way, number }) => {
      // The file would return to the folder that it was taken from, because a link now leads there.
      if (number === (await own.watched())) throw new Error(roundText([triggerName(this.#ref)]))
      const placing = { source: path, folder: way, isFolderThere: true, mostCopied, name, ticket } as const
      return archiveFile(disk, placing, occurrence, outcome)
    })
    return { outcome, movedTo: placed && join(folder, basename(placed)) }
  }

  #folder(which: 'done' | 'failed'): string | undefined {
    return this.#watch && resolve(this.#watch.folder, this.#watch.trigger[which])
  }

  #done(ticket: string): void {
    this.#taken.delete(ticket)
    if (this.#taken.size === MAX_OPEN / 2 || this.#taken.size === 0) this.#around.onRoom()
  }
}

/** Files from other machines are filed away at their source. */
function isOfFolder({ occurrence }: EndedOccurrence): boolean {
  return occurrence.detail?.source === undefined
}

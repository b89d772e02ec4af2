import { within } from '../../core/clock.ts'
import { backoffDelay } from '../../core/delays.ts'
import { HOUR_MS } from '../../core/duration.ts'
import { grouped } from '../../core/format/figures.ts'
import type { JsonObject } from '../../core/json.ts'
import { messageOf, reasonOf } from '../../core/message-of.ts'
import { type Occurrence, type TriggerRef, triggerName } from '../../core/occurrence.ts'
import { createLimit, inTurn, type Limit, oneAtATime } from '../../core/one-at-a-time.ts'
import { remoteCodeOf } from '../../core/remote-error.ts'
import { splitRemotePath, takenPath } from '../../core/remote-path.ts'
import { MAX_REMOTE_BYTES, type RemoteFile, type RemoteSource } from '../../core/remote-source.ts'
import type { FinalStatus } from '../../core/run.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import type { LedgerFile } from '../../state/remote-ledger.ts'
import { accountFor, noteChange } from '../watch/account-for-file.ts'
import { fileOutcomeOf, outcomeOfChanged } from '../watch/file-outcome.ts'
import type { Content, FileFacts } from '../watch/read-content.ts'
import { hintOf } from './decide-look.ts'
import { actJson, actOf, type FiledAway, fileAway, isLeaving } from './file-away.ts'
import { copyPath, makeCopy, removeCopy } from './local-copy.ts'
import type { RemoteDeps, RemoteWatch } from './remote-watch.ts'

/** The most files of a trigger in progress; the others wait at the source. */
const MAX_OPEN = 1000
/** How many files are moved at the same time. */
const FILED_AT_ONCE = 4
const RETRY = { firstMs: 15_000, longestMs: 900_000 }
/** The longest time that one file may take. */
const DOWNLOAD_MS = 6 * HOUR_MS

interface Around {
  /** Shared by all triggers: limits how many files are read at the same time. */
  readonly reading: Limit
  readonly stopping: AbortSignal
  /** A source lets files be read and not moved. */
  readonly onReadOnly: (error: unknown) => void
}

/** Where a file is: taken, or still where it was found. */
interface Place {
  readonly file: RemoteFile
  readonly isTaken: boolean
}

/**
 * The files of a trigger, from being taken to being filed away at their source: ledger, local copy, occurrence and run in one transaction,
 * what becomes of the file at the source, ledger. After a crash at any point `recover` continues.
 */
export class RemoteFiles {
  readonly #ref: TriggerRef
  readonly #deps: RemoteDeps
  readonly #around: Around
  #watch: RemoteWatch | undefined
  readonly #underWay = new Set<string>()
  readonly #working = new Map<string, Promise<void>>()
  /** Of two files with the same content, the second is looked up after the first is accounted for. */
  readonly #alone = inTurn()
  /** By keys of occurrences: files that cannot be filed away at present. */
  readonly #stuck = new Map<string, { readonly retryAt: number; readonly attempt: number; readonly why: string }>()
  /** Files away the files whose runs have ended, and the files that have no run. */
  readonly fileEnded = oneAtATime(() => this.#fileEnded())

  constructor(ref: TriggerRef, deps: RemoteDeps, around: Around) {
    this.#ref = ref
    this.#deps = deps
    this.#around = around
  }

  /** How many files are in progress. */
  get size(): number {
    return this.#underWay.size
  }

  get room(): number {
    return MAX_OPEN - this.#underWay.size
  }

  /** Why the first of those that cannot be filed away cannot. */
  get whyStuck(): string | undefined {
    return this.#stuck.values().next().value?.why
  }

  /** Sets what the document says now. */
  use(watch: RemoteWatch | undefined): void {
    this.#watch = watch
  }

  /** Whether `fileEnded` has something to do. */
  async hasEnded(): Promise<boolean> {
    return (await this.#deps.occurrenceStore.ended(this.#ref, 1)).length > 0
  }

  /** Takes a file and processes it in the background. False if it was begun before. */
  async take(file: RemoteFile, ticket: string, source: string): Promise<boolean> {
    const begun = { ...this.#ref, ticket, source, path: file.path, hint: hintOf(file) }
    if (!(await this.#deps.ledger.begin(begun))) return false
    this.#begin({ ...begun, state: 'open' })
    return true
  }

  /** Continues with the open files of an earlier process. */
  recover(ledger: readonly LedgerFile[]): void {
    for (const file of ledger) if (file.state === 'open' && !this.#underWay.has(file.ticket)) this.#begin(file)
  }

  /** Resolves when this process works on no file; after `stopping`, this is soon. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values())
  }

  #begin(file: LedgerFile): void {
    this.#underWay.add(file.ticket)
    const work = this.#putThrough(file).finally(() => this.#working.delete(file.ticket))
    this.#working.set(file.ticket, work)
  }

  async #putThrough(file: LedgerFile): Promise<void> {
    const { clock, log } = this.#deps
    const { stopping } = this.#around
    let told: string | undefined
    for (let attempt = 1; !stopping.aborted; attempt += 1) {
      try {
        return await this.#tryPutThrough(file)
      } catch (error) {
        if (stopping.aborted) return
        const message = messageOf(error)
        if (message !== told)
          log.warn({ ...this.#ref, file: file.path, error: message }, 'a remote file waits, and is tried again')
        told = message
        await clock.sleep(backoffDelay(RETRY, attempt), stopping).catch(() => undefined)
      }
    }
  }

  async #tryPutThrough(row: LedgerFile): Promise<void> {
    const watch = this.#watch
    if (!watch) return this.#forget(row.ticket)
    const { ledger, occurrenceStore } = this.#deps
    const known = await this.#occurrenceOf(row)
    if (known?.open) return this.fileEnded()
    const source = await this.#source(row.source)
    const place = await this.#locate(source, row)
    if (known || !place) return this.#close(row.ticket, place && !place.isTaken ? 'kept' : 'gone')
    const file = await this.#taken(source, watch, { row, place })
    if (!file) return this.#close(row.ticket, 'gone')
    const content = await this.#contentOf(source, file, { watch, ticket: row.ticket, isTaken: file.path !== row.path })
    // The next look finds it as it is now.
    if (content.state === 'changed' || content.state === 'gone') return this.#close(row.ticket, 'gone')
    const { sha256 } = content.about
    const facts = { row, file, about: content.about, name: splitRemotePath(row.path).name }
    const arrival = {
      ...{ pipeline: watch.pipeline, trigger: watch.trigger, ticket: row.ticket, content, fileEnded: this.fileEnded },
      at: Number.parseInt(row.ticket, 10),
      detail: this.#detailOf(watch, facts),
      keep: async (key: string) => {
        if (sha256 !== undefined) await ledger.note(row.ticket, { sha256, key })
        return { detail: this.#detailOf(watch, facts), values: this.#valuesOf(facts) }
      },
    }
    const occurrence = await this.#alone(sha256 ?? row.ticket, () =>
      accountFor({ occurrenceStore, fire: this.#deps.fire }, arrival),
    )
    if (!occurrence) return
    const { state, runId, reason } = occurrence
    this.#deps.log.info(
      { ...this.#ref, source: row.source, file: row.path, state, runId, reason, sha256 },
      `${triggerName(this.#ref)} took the file ${facts.name}${state === 'ran' ? ` for the run ${runId}` : `; it has no run: ${reason}`}`,
    )
    if (state !== 'ran' && state !== 'due') await this.fileEnded()
  }

  /** Its own occurrence: not that of another file of the same content. */
  async #occurrenceOf({ ticket, key = ticket }: LedgerFile): Promise<Occurrence | undefined> {
    const known = await this.#deps.occurrenceStore.find({ ...this.#ref, key })
    if (known?.detail?.ticket === ticket) return known
    const own = key === ticket ? undefined : await this.#deps.occurrenceStore.find({ ...this.#ref, key: ticket })
    return own?.detail?.ticket === ticket ? own : undefined
  }

  async #source(name: string): Promise<RemoteSource> {
    const source = await this.#deps.openSource(name)
    if (!source) throw new Error(`audience.yaml has no source ${name} any more`)
    return source
  }

  /** Undefined if there is no file any more that looks as it did. */
  async #locate(
    source: RemoteSource,
    { path, ticket, hint }: Pick<LedgerFile, 'path' | 'ticket' | 'hint'>,
  ): Promise<Place | undefined> {
    const signal = this.#around.stopping
    const taken = source.can.take ? await source.look(takenPath(path, ticket), { signal }) : undefined
    if (taken) return { file: taken, isTaken: true }
    const file = await source.look(path, { signal })
    return file && hintOf(file) === hint ? { file, isTaken: false } : undefined
  }

  /** The file where it is to be read; undefined if somebody else has taken it. */
  async #taken(
    source: RemoteSource,
    { trigger }: RemoteWatch,
    { row, place }: { readonly row: LedgerFile; readonly place: Place },
  ): Promise<RemoteFile | undefined> {
    if (place.isTaken || !source.can.take || !isLeaving(trigger.done)) return place.file
    try {
      return await source.take(place.file, { ticket: row.ticket, signal: this.#around.stopping })
    } catch (error) {
      if (!isReadOnly(error)) throw error
      this.#around.onReadOnly(error)
      return place.file
    }
  }

  /** `changed` is only of a file that was not taken: of one that was taken, the content is read until it stays. */
  async #contentOf(
    source: RemoteSource,
    file: RemoteFile,
    { watch, ticket, isTaken }: { readonly watch: RemoteWatch; readonly ticket: string; readonly isTaken: boolean },
  ): Promise<Content> {
    const { clock, copies } = this.#deps
    const { reading, stopping: signal } = this.#around
    const { precheck: rule, settleMs } = watch.trigger
    let seen = file
    for (;;) {
      const { size, mtimeMs } = seen
      const about = { size, mtimeMs }
      const most = Math.min(rule.maxBytes, MAX_REMOTE_BYTES)
      if (size === 0) return { state: 'unfit', about, reason: 'it is empty' }
      if (size > most)
        return { state: 'unfit', about, reason: `it has ${grouped(size)} bytes, and ${grouped(most)} are allowed` }
      const given = seen
      const path = copyPath(copies, ticket, file.path)
      const copied = await reading(() =>
        within(DOWNLOAD_MS, (limit) => makeCopy(source, given, { path, rule, signal: limit }), { clock, signal }),
      ).catch(unlessChanged)
      const now = await source.look(file.path, { signal })
      // What was read whole counts, whoever removed it since.
      if (copied && (!now || hintOf(now) === hintOf(given))) {
        const known = { ...about, sha256: copied.sha256 }
        if (copied.problem === undefined) return { state: 'fit', about: known }
        return { state: 'unfit', about: known, reason: copied.problem }
      }
      if (!now) return { state: 'gone' }
      if (!isTaken) return { state: 'changed' }
      await clock.sleep(Math.max(settleMs, 1000), signal)
      seen = (await source.look(file.path, { signal })) ?? now
    }
  }

  /** What the occurrence store stores: enough to file the file away after the document is removed. */
  #detailOf({ trigger }: RemoteWatch, { row, file, about, name }: Facts): JsonObject {
    const { source, path, ticket, hint } = row
    const { size, mtimeMs, sha256 } = about
    return {
      ...withoutUndefined({ source, path, hint, name, ticket, size, modifiedAt: timeOf(mtimeMs), sha256 }),
      ...withoutUndefined({ file: copyPath(this.#deps.copies, ticket, path), version: file.version }),
      done: actJson(trigger.done),
      failed: actJson(trigger.failed),
    }
  }

  /** The value of `trigger` in expressions. */
  #valuesOf({ row: { source, path, ticket }, about: { size, mtimeMs, sha256 }, name }: Facts): JsonObject {
    const file = copyPath(this.#deps.copies, ticket, path)
    return withoutUndefined({ file, name, source, path, size, modifiedAt: timeOf(mtimeMs), sha256 })
  }

  async #fileEnded(): Promise<void> {
    const { occurrenceStore, clock } = this.#deps
    const limit = createLimit(FILED_AT_ONCE)
    const now = clock.now()
    const ended = (await occurrenceStore.ended(this.#ref, MAX_OPEN)).filter(
      ({ occurrence: { key, detail } }) =>
        typeof detail?.source === 'string' && (this.#stuck.get(key)?.retryAt ?? 0) <= now,
    )
    await Promise.all(ended.map(({ occurrence, status }) => limit(() => this.#tryFile(occurrence, status))))
  }

  async #tryFile(occurrence: Occurrence, status: FinalStatus | undefined): Promise<void> {
    const { clock, log } = this.#deps
    if (this.#around.stopping.aborted) return
    try {
      await this.#file(occurrence, status)
    } catch (error) {
      const { key, runId } = occurrence
      const attempt = (this.#stuck.get(key)?.attempt ?? 0) + 1
      if (attempt === 1) {
        const file = occurrence.detail?.path
        log.warn(
          { ...this.#ref, file, runId, error: messageOf(error) },
          'a remote file cannot be filed away, and is tried again',
        )
      }
      this.#stuck.set(key, { retryAt: clock.now() + backoffDelay(RETRY, attempt), attempt, why: reasonOf(error) })
    }
  }

  async #file(occurrence: Occurrence, status: FinalStatus | undefined): Promise<void> {
    const { occurrenceStore, log, whyFailed } = this.#deps
    const { detail = {}, key, runId } = occurrence
    const [path, ticket, hint, name] = ['path', 'ticket', 'hint', 'name'].map((field) => String(detail[field]))
    const row = { path: path as string, ticket: ticket as string, hint: hint as string }
    const source = await this.#source(String(detail.source))
    const error = runId === undefined || status === 'succeeded' ? undefined : await whyFailed(runId)
    const ended = fileOutcomeOf(occurrence, status, error)
    const place = await this.#locate(source, row)
    const change = place?.isTaken ? await noteChange(this.#deps, occurrence, place.file, row.path) : undefined
    const outcome = change === undefined ? ended : outcomeOfChanged(ended, change, runId)
    const filed = await this.#filed(source, place, { act: actOf(detail[outcome.folder]), name: name as string, ...row })
    await occurrenceStore.close(
      occurrence,
      withoutUndefined({ ...detail, outcome: outcome.outcome, movedTo: filed.movedTo }),
    )
    this.#stuck.delete(key)
    await this.#close(row.ticket, filed.state)
    const { happened } = outcome.why ?? {}
    const facts = { ...this.#ref, file: row.path, runId, movedTo: filed.movedTo, reason: happened }
    const where = filed.movedTo ?? (filed.state === 'kept' ? 'where it was' : outcome.folder)
    const what = `${triggerName(this.#ref)} left the file ${name} ${filed.movedTo === undefined ? '' : 'in '}${where}`
    const text = happened === undefined ? what : `${what}: ${happened}`
    if (outcome.folder === 'done') log.info(facts, text)
    else log.warn(facts, text)
  }

  /** What becomes of a file at its source; where it may not be touched, it stays, and counts as known. */
  async #filed(
    source: RemoteSource,
    place: Place | undefined,
    given: Omit<Parameters<typeof fileAway>[2], 'signal'>,
  ): Promise<FiledAway> {
    if (!place) return { state: 'gone' }
    // It could not be taken, and what has its path may be another file by the time that it is moved.
    if (isLeaving(given.act) && !place.isTaken && !source.can.versions) return { state: 'kept' }
    try {
      return await fileAway(source, place.file, { ...given, signal: this.#around.stopping })
    } catch (error) {
      if (!isReadOnly(error) || place.isTaken) throw error
      this.#around.onReadOnly(error)
      return { state: 'kept' }
    }
  }

  /** The last step of the order. */
  async #close(ticket: string, state: FiledAway['state']): Promise<void> {
    const { ledger, copies } = this.#deps
    await removeCopy(copies, ticket)
    if (state === 'kept') await ledger.keep(ticket)
    else await ledger.remove([ticket])
    this.#forget(ticket)
  }

  #forget(ticket: string): void {
    this.#underWay.delete(ticket)
  }
}

interface Facts {
  readonly row: LedgerFile
  readonly file: RemoteFile
  readonly about: FileFacts
  readonly name: string
}

function timeOf(mtimeMs: number): string {
  return new Date(mtimeMs).toISOString()
}

function isReadOnly(error: unknown): boolean {
  return remoteCodeOf(error) === 'source-read-only'
}

function unlessChanged(error: unknown): undefined {
  if (remoteCodeOf(error) !== 'source-file-changed') throw error
}

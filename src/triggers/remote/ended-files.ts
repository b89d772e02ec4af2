import { backoffDelay } from '../../core/delays.ts'
import { messageOf } from '../../core/message-of.ts'
import { type Occurrence, type TriggerRef, triggerName } from '../../core/occurrence.ts'
import { createLimit, oneAtATime } from '../../core/one-at-a-time.ts'
import { remoteCodeOf } from '../../core/remote-error.ts'
import type { RemoteSource } from '../../core/remote-source.ts'
import type { FinalStatus } from '../../core/run.ts'
import { isLeaving } from '../../core/trigger.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import { fileOutcomeOf, logOutcome, outcomeOfChanged } from '../watch/file-outcome.ts'
import { noteChange, notedChange } from '../watch/note-change.ts'
import { actOf, type FiledAway, fileAway } from './file-away.ts'
import { type RecordedMember, recordedMembers } from './file-facts.ts'
import { type Around, RETRY, type RemoteDeps } from './remote-watch.ts'
import { type FilePlace, locateFile, sourceOf } from './take-files.ts'

/** The maximum number of a trigger's files that are filed away in one pass. */
const MAX_ENDED = 1000
/** How many files are moved at the same time. */
const FILED_AT_ONCE = 4

interface Found extends RecordedMember {
  /** Undefined if the file is gone. */
  readonly place: FilePlace | undefined
}

interface AroundEnded extends Around {
  /** The last step: closes the file in the ledger. */
  readonly close: (ticket: string, state: FiledAway['state']) => Promise<void>
}

/** Files away a trigger's files at their source: those whose runs have ended, and those without a run. */
export class EndedFiles {
  readonly #ref: TriggerRef
  readonly #deps: RemoteDeps
  readonly #around: AroundEnded
  /** The files that cannot be filed away at present, by the keys of their occurrences. */
  readonly #stuck = new Map<string, { readonly retryAt: number; readonly attempt: number }>()
  /** Files away all ended files of the trigger. */
  readonly file = oneAtATime(() => this.#fileAll())

  constructor(ref: TriggerRef, deps: RemoteDeps, around: AroundEnded) {
    this.#ref = ref
    this.#deps = deps
    this.#around = around
  }

  async #fileAll(): Promise<void> {
    const { occurrenceStore, clock } = this.#deps
    const limit = createLimit(FILED_AT_ONCE)
    const now = clock.now()
    const ended = (await occurrenceStore.ended(this.#ref, MAX_ENDED)).filter(
      ({ occurrence: { key, detail } }) =>
        typeof detail?.source === 'string' && (this.#stuck.get(key)?.retryAt ?? 0) <= now,
    )
    await Promise.all(ended.map(({ occurrence, status }) => limit(() => this.#tryFile(occurrence, status))))
  }

  async #tryFile(occurrence: Occurrence, status: FinalStatus | undefined): Promise<void> {
    const { clock, log } = this.#deps
    if (this.#around.stopping.aborted) return
    try {
      await this.#fileOne(occurrence, status)
    } catch (error) {
      const { key, runId } = occurrence
      const attempt = (this.#stuck.get(key)?.attempt ?? 0) + 1
      if (attempt === 1) {
        const file = occurrence.detail?.path
        log.warn(
          { ...this.#ref, file, runId, error: messageOf(error) },
          'a remote file cannot be filed away; this will be retried',
        )
      }
      this.#stuck.set(key, { retryAt: clock.now() + backoffDelay(RETRY, attempt), attempt })
    }
  }

  async #fileOne(occurrence: Occurrence, status: FinalStatus | undefined): Promise<void> {
    const { occurrenceStore, log, whyFailed } = this.#deps
    const { detail = {}, key, runId } = occurrence
    const ticket = String(detail.ticket)
    const source = await sourceOf(this.#deps, String(detail.source))
    const error = runId === undefined || status === 'succeeded' ? undefined : await whyFailed(runId)
    const ended = fileOutcomeOf(occurrence, status, error)
    const found = await this.#locate(source, occurrence)
    const change = await this.#change(occurrence, found)
    const outcome = change === undefined ? ended : outcomeOfChanged(ended, change, runId)
    const act = actOf(detail[outcome.folder])
    const filed: FiledAway[] = []
    for (const { name, place } of found) filed.push(await this.#filed(source, place, { act, name, ticket }))
    const moved = filed.flatMap(({ movedTo }) => movedTo ?? [])
    const movedTo = detail.set === undefined ? moved[0] : moved
    await occurrenceStore.close(occurrence, withoutUndefined({ ...detail, outcome: outcome.outcome, movedTo }))
    this.#stuck.delete(key)
    const state = filed.some((each) => each.state === 'kept') ? 'kept' : 'gone'
    await this.#around.close(ticket, state)
    const [first] = moved
    const where = first === undefined ? (state === 'kept' ? 'where it was' : outcome.folder) : `in ${first}`
    const what = `${triggerName(this.#ref)} left the ${detail.set === undefined ? 'file' : 'set'} ${detail.name} ${where}`
    logOutcome(log, outcome, { what, facts: { ...this.#ref, file: detail.path, runId, movedTo } })
  }

  async #locate(source: RemoteSource, { detail = {} }: Occurrence): Promise<readonly Found[]> {
    const found: Found[] = []
    for (const member of recordedMembers(detail)) {
      const at = { ticket: String(detail.ticket), signal: this.#around.stopping }
      found.push({ ...member, place: await locateFile(source, member, at) })
    }
    return found
  }

  /** Returns a sentence if one of the files was written to after it had been read. */
  async #change(occurrence: Occurrence, found: readonly Found[]): Promise<string | undefined> {
    for (const { path, name, size, modifiedAt, place } of found) {
      if (!place?.isTaken) continue
      const its = { ...occurrence, detail: { ...occurrence.detail, name, size, modifiedAt } }
      const change = await noteChange(this.#deps, its, place.file, path)
      if (change !== undefined) return change
    }
    // A file that has already been moved was compared before the move.
    return found.some(({ place }) => !place) ? notedChange(this.#deps, occurrence) : undefined
  }

  /**
   * Files one file away and returns what happened to it. A file that must not be touched stays at its source, as
   * `kept`.
   */
  async #filed(
    source: RemoteSource,
    place: FilePlace | undefined,
    given: Omit<Parameters<typeof fileAway>[2], 'signal'>,
  ): Promise<FiledAway> {
    if (!place) return { state: 'gone' }
    // The file could not be taken, so another file may have its path by the time of the move.
    if (isLeaving(given.act) && !place.isTaken && !source.can.versions) return { state: 'kept' }
    try {
      const filed = await fileAway(source, place.file, { ...given, signal: this.#around.stopping })
      if (isLeaving(given.act)) this.#around.onMoved()
      return filed
    } catch (error) {
      if (remoteCodeOf(error) !== 'source-read-only' || place.isTaken) throw error
      this.#around.onReadOnly(error)
      return { state: 'kept' }
    }
  }
}

import { backoffDelay } from '../../core/delays.ts'
import { messageOf } from '../../core/message-of.ts'
import { type Occurrence, type TriggerRef, triggerName } from '../../core/occurrence.ts'
import { inTurn } from '../../core/one-at-a-time.ts'
import { remoteCodeOf } from '../../core/remote-error.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import { hintOf, type RemoteFile, type RemoteSource } from '../../core/remote-source.ts'
import type { LedgerFile } from '../../state/remote-ledger.ts'
import { accountFor } from '../watch/account-for-file.ts'
import type { Content } from '../watch/read-content.ts'
import { EndedFiles } from './ended-files.ts'
import { type FiledAway, isLeaving } from './file-away.ts'
import { detailOf, valuesOf } from './file-facts.ts'
import { copyPath, removeCopy } from './local-copy.ts'
import { locateFile, type Place, sourceOf } from './locate-file.ts'
import { readCopy } from './read-copy.ts'
import { type Around, RETRY, type RemoteDeps, type RemoteWatch } from './remote-watch.ts'

/** The most files of a trigger in progress; the others wait at the source. */
const MAX_OPEN = 1000

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
  /** Those whose runs have ended, and those that have no run. */
  readonly ended: EndedFiles

  constructor(ref: TriggerRef, deps: RemoteDeps, around: Around) {
    this.#ref = ref
    this.#deps = deps
    this.#around = around
    this.ended = new EndedFiles(ref, deps, { around, close: (ticket, state) => this.#close(ticket, state) })
  }

  /** How many files are in progress. */
  get size(): number {
    return this.#underWay.size
  }

  get room(): number {
    return MAX_OPEN - this.#underWay.size
  }

  /** Sets what the document says now. */
  use(watch: RemoteWatch | undefined): void {
    this.#watch = watch
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
    const known = await this.#occurrenceOf(row)
    if (known?.open) return this.ended.file()
    const source = await sourceOf(this.#deps, row.source)
    const found = await locateFile(source, row, this.#around.stopping)
    if (known || !found) return this.#close(row.ticket, found && !found.isTaken ? 'kept' : 'gone')
    const place = await this.#taken(source, watch, { row, place: found })
    if (!place) return this.#close(row.ticket, 'gone')
    const copy = copyPath(this.#deps.copies, row.ticket, row.path)
    const { reading, stopping: signal } = this.#around
    const { clock } = this.#deps
    const content = await readCopy(source, place, { path: copy, trigger: watch.trigger, reading, clock, signal })
    // The next look finds it as it is now.
    if (content.state === 'changed' || content.state === 'gone') return this.#close(row.ticket, 'gone')
    await this.#account(watch, { row, file: place.file, content, copy })
  }

  async #account(
    watch: RemoteWatch,
    {
      row,
      file,
      content,
      copy,
    }: {
      readonly row: LedgerFile
      readonly file: RemoteFile
      readonly content: Extract<Content, { state: 'fit' | 'unfit' }>
      readonly copy: string
    },
  ): Promise<void> {
    const { ledger, occurrenceStore, fire, log } = this.#deps
    const { ticket, path, source } = row
    const { sha256 } = content.about
    const facts = { row, file, about: content.about, copy }
    const detail = detailOf(watch, facts)
    const arrival = {
      ...{ pipeline: watch.pipeline, trigger: watch.trigger, ticket, content, fileEnded: this.ended.file, detail },
      at: Number.parseInt(ticket, 10),
      keep: async (key: string) => {
        if (sha256 !== undefined) await ledger.note(ticket, { sha256, key })
        return { detail, values: valuesOf(facts) }
      },
    }
    const occurrence = await this.#alone(sha256 ?? ticket, () => accountFor({ occurrenceStore, fire }, arrival))
    if (!occurrence) return
    const { state, runId, reason } = occurrence
    const { name } = splitRemotePath(path)
    log.info(
      { ...this.#ref, source, file: path, state, runId, reason, sha256 },
      `${triggerName(this.#ref)} took the file ${name}${state === 'ran' ? ` for the run ${runId}` : `; it has no run: ${reason}`}`,
    )
    if (state !== 'ran' && state !== 'due') await this.ended.file()
  }

  /** Its own occurrence: not that of another file of the same content. */
  async #occurrenceOf({ ticket, key = ticket }: LedgerFile): Promise<Occurrence | undefined> {
    const known = await this.#deps.occurrenceStore.find({ ...this.#ref, key })
    if (known?.detail?.ticket === ticket) return known
    const own = key === ticket ? undefined : await this.#deps.occurrenceStore.find({ ...this.#ref, key: ticket })
    return own?.detail?.ticket === ticket ? own : undefined
  }

  /** The file where it is to be read; undefined if somebody else has taken it. */
  async #taken(
    source: RemoteSource,
    { trigger }: RemoteWatch,
    { row, place }: { readonly row: LedgerFile; readonly place: Place },
  ): Promise<Place | undefined> {
    if (place.isTaken || !source.can.take || !isLeaving(trigger.done)) return place
    try {
      const file = await source.take(place.file, { ticket: row.ticket, signal: this.#around.stopping })
      return file && { file, isTaken: true }
    } catch (error) {
      if (remoteCodeOf(error) !== 'source-read-only') throw error
      this.#around.onReadOnly(error)
      return place
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

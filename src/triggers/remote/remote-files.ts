import { backoffDelay } from '../../core/delays.ts'
import { messageOf } from '../../core/message-of.ts'
import { type Occurrence, type TriggerRef, triggerName } from '../../core/occurrence.ts'
import { inTurn } from '../../core/one-at-a-time.ts'
import { hintOf, type RemoteFile } from '../../core/remote-source.ts'
import { isLeaving } from '../../core/trigger.ts'
import { type LedgerFile, type LedgerMember, type LedgerSet, membersOf } from '../../state/remote-ledger.ts'
import { accountFor } from '../watch/account-for-file.ts'
import type { Taking } from './decide-look.ts'
import { EndedFiles } from './ended-files.ts'
import type { FiledAway } from './file-away.ts'
import { detailOf, type FileFacts, nameOf, valuesOf } from './file-facts.ts'
import { copyPath, removeCopy } from './local-copy.ts'
import { type ReadFiles, readFiles } from './read-files.ts'
import { type Around, RETRY, type RemoteDeps, type RemoteWatch } from './remote-watch.ts'
import { locateFile, sourceOf, takeFiles } from './take-files.ts'

/** The maximum number of a trigger's files that are in progress at the same time; the others wait at the source. */
const MAX_OPEN = 1000

/**
 * The files of a trigger, from taking them to filing them away at their source. The steps are: ledger, local copy,
 * occurrence and run in one transaction, filing at the source, ledger. After a crash at any point, `recover` continues.
 */
export class RemoteFiles {
  readonly #ref: TriggerRef
  readonly #deps: RemoteDeps
  readonly #around: Around
  #watch: RemoteWatch | undefined
  readonly #underWay = new Set<string>()
  readonly #working = new Map<string, Promise<void>>()
  /** If two files have the same content, the second is looked up after the first is accounted for. */
  readonly #alone = inTurn()
  /** The files whose runs have ended, and files without a run. */
  readonly ended: EndedFiles

  constructor(ref: TriggerRef, deps: RemoteDeps, around: Around) {
    this.#ref = ref
    this.#deps = deps
    this.#around = around
    this.ended = new EndedFiles(ref, deps, { ...around, close: (ticket, state) => this.#close(ticket, state) })
  }

  /** How many files are in progress. */
  get size(): number {
    return this.#underWay.size
  }

  get room(): number {
    return MAX_OPEN - this.#underWay.size
  }

  /** Call it when the document has changed; `undefined` if the trigger is no longer used. */
  use(watch: RemoteWatch | undefined): void {
    this.#watch = watch
  }

  /** Takes a file or a set, and processes it in the background. Returns false if this work has already begun. */
  async take({ path, hint, files, set, lack }: Taking, ticket: string, source: string): Promise<boolean> {
    const its: LedgerSet | undefined = set && {
      name: set.name,
      files: files.map(memberOf),
      manifest: set.manifest && memberOf(set.manifest),
      lack,
    }
    const begun = { ...this.#ref, ticket, source, path, hint, set: its }
    if (!(await this.#deps.ledger.begin(begun))) return false
    this.#begin({ ...begun, state: 'open' })
    return true
  }

  /** Continues with the open files of an earlier process. */
  recover(ledger: readonly LedgerFile[]): void {
    for (const file of ledger) if (file.state === 'open' && !this.#underWay.has(file.ticket)) this.#begin(file)
  }

  /** Resolves when this process is no longer working on any file. Once the process is stopping, this happens soon. */
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
          log.warn(
            { ...this.#ref, file: file.path, error: message },
            'a remote file cannot be processed yet; this will be retried',
          )
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
    if (known) return this.#closeAsFound(row)
    const source = await sourceOf(this.#deps, row.source)
    const taken = await takeFiles(source, row, { isLeaving: isLeaving(watch.trigger.done), around: this.#around })
    // The next check finds what there is now.
    if (!taken) return this.#close(row.ticket, 'gone')
    const { reading, stopping: signal } = this.#around
    const { clock, copies } = this.#deps
    const read = await readFiles(source, row, taken, { trigger: watch.trigger, copies, reading, clock, signal })
    if (!read) return this.#close(row.ticket, 'gone')
    await this.#account(watch, { row, lack: taken.lack, ...read })
  }

  /**
   * Closes a row whose file or set is already accounted for: as `kept` if a file is still where it was found, otherwise
   * as `gone`.
   */
  async #closeAsFound(row: LedgerFile): Promise<void> {
    const { ticket } = row
    const source = await sourceOf(this.#deps, row.source)
    for (const member of membersOf(row)) {
      const place = await locateFile(source, member, { ticket, signal: this.#around.stopping })
      if (place && !place.isTaken) return this.#close(ticket, 'kept')
    }
    await this.#close(ticket, 'gone')
  }

  async #account(
    watch: RemoteWatch,
    { row, members, content, lack }: ReadFiles & Pick<FileFacts, 'row' | 'lack'>,
  ): Promise<void> {
    const { ledger, occurrenceStore, fire, log, copies } = this.#deps
    const { ticket, path, source } = row
    const { sha256 } = content.about
    const own = (row.set?.files ?? [row]).map((member) => copyPath(copies, ticket, member.path))
    const facts = { row, members, about: content.about, lack, copies: own }
    const detail = detailOf(watch, facts)
    const arrival = {
      pipeline: watch.pipeline,
      trigger: watch.trigger,
      ticket,
      content,
      fileEnded: this.ended.file,
      detail,
      at: Number.parseInt(ticket, 10),
      keep: async (key: string, sha256: string) => {
        await ledger.note(ticket, { sha256, key })
        return { detail, values: valuesOf(facts) }
      },
    }
    const occurrence = await this.#alone(sha256 ?? ticket, () => accountFor({ occurrenceStore, fire }, arrival))
    if (!occurrence) return
    // Another process has filed it away.
    if (!occurrence.open) return this.#closeAsFound(row)
    const { state, runId } = occurrence
    const what = `${row.set ? 'set' : 'file'} ${nameOf(row)}`
    log.info(
      { ...this.#ref, source, file: path, state, runId, reason: occurrence.reason, sha256 },
      `${triggerName(this.#ref)} took the ${what}${state === 'ran' ? ` for the run ${runId}` : `; it has no run: ${occurrence.reason}`}`,
    )
    if (state !== 'ran' && state !== 'due') await this.ended.file()
  }

  /** The occurrence of this file or set, and not the occurrence of another one with the same content. */
  async #occurrenceOf({ ticket, key = ticket }: LedgerFile): Promise<Occurrence | undefined> {
    const known = await this.#deps.occurrenceStore.find({ ...this.#ref, key })
    if (known?.detail?.ticket === ticket) return known
    const own = key === ticket ? undefined : await this.#deps.occurrenceStore.find({ ...this.#ref, key: ticket })
    return own?.detail?.ticket === ticket ? own : undefined
  }

  /** The last step: closes the file in the ledger. */
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

function memberOf(file: RemoteFile): LedgerMember {
  return { path: file.path, hint: hintOf(file) }
}

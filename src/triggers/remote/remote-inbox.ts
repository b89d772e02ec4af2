import { randomBytes } from 'node:crypto'
import { look, NEVER } from '../../core/clock.ts'
import { backoffDelay } from '../../core/delays.ts'
import { AudienceError } from '../../core/errors.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { messageOf } from '../../core/message-of.ts'
import { triggerName } from '../../core/occurrence.ts'
import { remoteCodeOf } from '../../core/remote-error.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import type { RemoteLook } from '../../state/remote-ledger.ts'
import type { Seen } from '../watch/decide-settled.ts'
import { filePattern } from '../watch/file-pattern.ts'
import { decideLook } from './decide-look.ts'
import type { RemoteFiles } from './remote-files.ts'
import { type RemoteDeps, type RemoteWatch, refOf } from './remote-watch.ts'

/** The longest time between two looks at a source that fails. */
const LONGEST_MS = 900_000
/** The shortest time between two looks, however soon a file will have settled. */
const SHORTEST_MS = 250
/** The first look comes within this time, so that not all come at once. */
const FIRST_MS = 2_000

/** Looks at the folder of a trigger now and then, and takes what has settled there. */
export class RemoteInbox {
  readonly #deps: RemoteDeps
  readonly #files: RemoteFiles
  /** One look at a time at a source. */
  readonly #inTurn: <T>(source: string, work: () => Promise<T>) => Promise<T>
  readonly #closing = new AbortController()
  readonly #looping: Promise<void>
  #watch: RemoteWatch
  #seen: ReadonlyMap<string, Seen> = new Map()
  #problem: RemoteLook['problem']
  #failures = 0

  constructor(
    watch: RemoteWatch,
    deps: RemoteDeps,
    { files, inTurn }: { files: RemoteFiles; inTurn: <T>(source: string, work: () => Promise<T>) => Promise<T> },
  ) {
    this.#watch = watch
    this.#deps = deps
    this.#files = files
    this.#inTurn = inTurn
    this.#looping = this.#loop()
  }

  use(watch: RemoteWatch): void {
    const { source, path } = this.#watch.trigger
    if (source !== watch.trigger.source || path !== watch.trigger.path) this.#seen = new Map()
    this.#watch = watch
  }

  /** Resolves when the look under way has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#looping
  }

  /** A source that lets files be read and not moved: people are told once. */
  readonly onReadOnly = (error: unknown): void => {
    if (this.#problem?.code === 'source-read-only') return
    this.#problem = { code: 'source-read-only', message: messageOf(error), since: this.#deps.clock.now() }
    const ref = refOf(this.#watch)
    this.#deps.log.warn(
      { ...ref, source: this.#watch.trigger.source, error: messageOf(error) },
      `${triggerName(ref)} may not move files; each content has its run all the same, and its file stays where it is`,
    )
  }

  async #loop(): Promise<void> {
    const { clock, random } = this.#deps
    const { signal } = this.#closing
    await look(clock, random() * FIRST_MS, signal)
    while (!signal.aborted) {
      const nextAt = await this.#tryLook()
      const { everyMs } = this.#watch.trigger
      const restMs =
        this.#failures > 0
          ? backoffDelay({ firstMs: everyMs, longestMs: Math.max(everyMs, LONGEST_MS) }, this.#failures) *
            (0.75 + random() / 4)
          : Math.min(everyMs * (0.9 + random() / 10), nextAt === undefined ? everyMs : nextAt - clock.now() + 1)
      await look(
        clock,
        Math.max(SHORTEST_MS, restMs),
        signal,
        nextAt === undefined ? NEVER : Math.max(0, nextAt - clock.now()),
      )
    }
  }

  /** Returns when the next file can be taken, if that is known. */
  async #tryLook(): Promise<number | undefined> {
    const { clock, log } = this.#deps
    const ref = refOf(this.#watch)
    const { source } = this.#watch.trigger
    try {
      const nextAt = await this.#look()
      if (this.#failures > 0) log.info({ ...ref, source }, `${triggerName(ref)} reaches the source ${source} again`)
      this.#failures = 0
      return nextAt
    } catch (error) {
      if (this.#closing.signal.aborted || isStateAway(error)) return undefined
      this.#failures += 1
      const code = remoteCodeOf(error) ?? (error instanceof AudienceError ? error.code : 'internal')
      const message = messageOf(error)
      const isTold = this.#failures > 1 && this.#problem?.code === code
      this.#problem = { code, message, since: isTold ? (this.#problem?.since ?? clock.now()) : clock.now() }
      if (!isTold)
        log.warn(
          { ...ref, source, code, error: message },
          `${triggerName(ref)} cannot look at the source ${source}: ${message}`,
        )
      // If the state is away too, the next look notes it.
      await this.#note(this.#seen.size).catch(() => undefined)
      return undefined
    }
  }

  async #look(): Promise<number | undefined> {
    const { clock, ledger, openSource } = this.#deps
    const watch = this.#watch
    const { source: name, path, settleMs } = watch.trigger
    const ref = refOf(watch)
    const source = await openSource(name)
    if (!source) throw unknownSource(name)
    const { folder, name: pattern } = splitRemotePath(path)
    const wanted = filePattern(pattern)
    const { files } = await this.#inTurn(name, () =>
      source.list(folder, (each) => wanted.matches(each), { signal: this.#closing.signal }),
    )
    const known = await ledger.files(ref)
    const now = clock.now()
    const { take, forget, seen, waiting, nextAt } = decideLook(files, known, this.#seen, { now, settleMs })
    this.#seen = seen
    await ledger.remove(forget)
    this.#files.recover(known)
    let taken = 0
    for (const file of take.slice(0, Math.max(0, this.#files.room))) {
      if (this.#closing.signal.aborted) return undefined
      if (await this.#files.take(file, `${now}-${randomBytes(6).toString('hex')}`, name)) taken += 1
    }
    if (this.#failures > 0) this.#problem = undefined
    await this.#note(waiting - taken)
    return nextAt
  }

  async #note(waiting: number): Promise<void> {
    const { ledger, clock } = this.#deps
    const { source, path } = this.#watch.trigger
    const ref = refOf(this.#watch)
    await ledger.looked({ ...ref, source, path, at: clock.now(), waiting, problem: this.#problem })
  }
}

function unknownSource(name: string): AudienceError {
  return new AudienceError({
    code: 'unknown-source',
    kind: 'invalid',
    message: `audience.yaml has no source ${name} on another machine`,
    hint: 'declare it there, under sources, with sftp or s3',
  })
}

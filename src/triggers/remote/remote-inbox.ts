import { randomBytes } from 'node:crypto'
import { look, NEVER } from '../../core/clock.ts'
import { backoffDelay } from '../../core/delays.ts'
import { AudienceError, invalidError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { messageOf } from '../../core/message-of.ts'
import { namePattern } from '../../core/name-pattern.ts'
import { triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { remoteCodeOf, remoteError } from '../../core/remote-error.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import { isLeaving } from '../../core/trigger.ts'
import type { RemoteLook, RemoteProblem, RemoteSet } from '../../state/remote-ledger.ts'
import type { Seen } from '../watch/decide-settled.ts'
import { decideLook, type Taking } from './decide-look.ts'
import { isOfSet, MAX_SET_FILES, partsOf } from './form-file-sets.ts'
import type { RemoteFiles } from './remote-files.ts'
import type { RemoteDeps, RemoteWatch } from './remote-watch.ts'

/** The longest time until the next check of a failing source. */
const LONGEST_MS = 900_000
/** The shortest time between two checks, even if a file will have settled sooner. */
const SHORTEST_MS = 250
/** How many waiting sets are noted. The waiting time of the others begins when fewer are waiting. */
const MAX_WAITING = 1000
/** How many of the missing files of a set are noted. */
const MAX_MISSING = 5
/**
 * The first check happens at a random moment within this time, so that not all first checks happen at the same time.
 */
const FIRST_MS = 2_000

/** Checks the folder of a trigger at intervals, and takes the files that have settled there. */
export class RemoteInbox {
  readonly #deps: RemoteDeps
  readonly #files: RemoteFiles
  /** Runs the checks of a source one at a time. */
  readonly #inTurn: <T>(source: string, work: () => Promise<T>) => Promise<T>
  readonly #closing = new AbortController()
  readonly #looping: Promise<void>
  #watch: RemoteWatch
  #seen: ReadonlyMap<string, Seen> = new Map()
  /** The facts about the folder that people can see. An earlier process may have noted them. */
  #known: Pick<RemoteLook, 'reachedAt' | 'waiting' | 'sets' | 'problem'> = { waiting: 0 }
  #isRecalled = false
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
    if (source !== watch.trigger.source || path !== watch.trigger.path) {
      this.#seen = new Map()
      this.#known = { waiting: 0 }
    }
    this.#watch = watch
  }

  /** Resolves when the current check has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#looping
  }

  /** Call it when the source lets files be read but not moved. People are notified once. */
  readonly onReadOnly = (error: unknown): void => {
    if (this.#isReadOnly) return
    this.#known = { ...this.#known, problem: this.#problemOf(error) }
    const ref = triggerRefOf(this.#watch)
    this.#deps.log.warn(
      { ...ref, source: this.#watch.trigger.source, error: messageOf(error) },
      `${triggerName(ref)} is not allowed to move files; each file with new content still gets its run, but the file stays where it is`,
    )
  }

  /** Call it when a file was moved. */
  readonly onMoved = (): void => {
    if (this.#isReadOnly) this.#known = { ...this.#known, problem: undefined }
  }

  get #isReadOnly(): boolean {
    return this.#known.problem?.code === 'source-read-only'
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
          ? backoffDelay({ firstMs: Math.min(everyMs, LONGEST_MS), longestMs: LONGEST_MS }, this.#failures) *
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
    const { log } = this.#deps
    const ref = triggerRefOf(this.#watch)
    const { source } = this.#watch.trigger
    try {
      const nextAt = await this.#look()
      if (this.#failures > 0) log.info({ ...ref, source }, `${triggerName(ref)} can reach the source ${source} again`)
      this.#failures = 0
      return nextAt
    } catch (error) {
      if (this.#closing.signal.aborted || isStateAway(error)) return undefined
      const problem = this.#problemOf(error)
      const { code, message } = problem
      if (this.#failures === 0 || this.#known.problem?.code !== code)
        log.warn(
          { ...ref, source, code, error: message },
          `${triggerName(ref)} cannot check the source ${source}: ${message}`,
        )
      this.#failures += 1
      this.#known = { ...this.#known, problem }
      // If the state is also unavailable, the next check notes the problem.
      await this.#note().catch(() => undefined)
      return undefined
    }
  }

  #problemOf(error: unknown): RemoteProblem {
    const code = remoteCodeOf(error) ?? (error instanceof AudienceError ? error.code : 'internal')
    const hint = error instanceof AudienceError ? error.hint : undefined
    const { problem } = this.#known
    return {
      code,
      message: messageOf(error),
      hint,
      since: problem?.code === code ? problem.since : this.#deps.clock.now(),
    }
  }

  /** Reads what an earlier process noted about the same folder. */
  async #recall(): Promise<void> {
    if (this.#isRecalled) return
    const { pipeline, trigger } = triggerRefOf(this.#watch)
    const { source, path } = this.#watch.trigger
    const looks = await this.#deps.ledger.looks()
    const noted = looks.find((one) => one.pipeline === pipeline && one.trigger === trigger)
    if (noted?.source === source && noted.path === path) {
      const { reachedAt, waiting, sets, problem } = noted
      this.#known = { reachedAt, waiting, sets, problem: this.#known.problem ?? problem }
    }
    this.#isRecalled = true
  }

  async #look(): Promise<number | undefined> {
    const { clock, ledger, openSource } = this.#deps
    const watch = this.#watch
    const { source: name, path, settleMs, waitFor } = watch.trigger
    const ref = triggerRefOf(watch)
    await this.#recall()
    const source = await openSource(name)
    if (!source) throw unknownSource(name)
    const { folder, name: pattern } = splitRemotePath(path)
    const isFile = namePattern(pattern)
    const isWanted = waitFor ? isOfSet(waitFor, isFile) : isFile
    const { files } = await this.#inTurn(name, () => source.list(folder, isWanted, { signal: this.#closing.signal }))
    const known = await ledger.files(ref)
    const now = clock.now()
    const since = new Map(this.#known.sets?.map((set) => [set.name, set.since]))
    const { take, forget, seen, nextAt, ...found } = decideLook(files, known, this.#seen, {
      now,
      settleMs,
      waitFor,
      since,
    })
    this.#seen = seen
    await ledger.remove(forget)
    this.#files.recover(known)
    const taken: Taking[] = []
    for (const each of take.slice(0, Math.max(0, this.#files.room))) {
      if (this.#closing.signal.aborted) return undefined
      if (await this.#files.take(each, `${now}-${randomBytes(6).toString('hex')}`, name)) taken.push(each)
    }
    this.#known = {
      reachedAt: now,
      problem: this.#problemOfList(found.tooLarge),
      waiting: found.waiting - taken.flatMap(partsOf).length,
      sets: waitFor && stillWaiting(found.sets, taken),
    }
    await this.#note()
    return nextAt
  }

  /** The problem to report although the folder could be listed. */
  #problemOfList([tooLarge]: readonly string[]): RemoteProblem | undefined {
    const { done, failed } = this.#watch.trigger
    if (this.#isReadOnly && [done, failed].some(isLeaving)) return this.#known.problem
    if (tooLarge === undefined) return undefined
    const message = `the set ${tooLarge} has more than ${count(MAX_SET_FILES, 'file')}, so it is not taken`
    const problem = this.#problemOf(remoteError('source-too-many', { message, hint: 'write it as several sets' }))
    if (this.#known.problem?.message !== message)
      this.#deps.log.warn(
        { ...triggerRefOf(this.#watch), code: problem.code },
        `${triggerName(triggerRefOf(this.#watch))}: ${message}`,
      )
    return problem
  }

  async #note(): Promise<void> {
    const { ledger, clock } = this.#deps
    const { source, path } = this.#watch.trigger
    const ref = triggerRefOf(this.#watch)
    await ledger.looked({ ...ref, source, path, at: clock.now(), ...this.#known })
  }
}

/** The sets that have waited longest, without those that were just taken. */
function stillWaiting(sets: readonly RemoteSet[], taken: readonly Taking[]): readonly RemoteSet[] {
  const gone = new Set(taken.map(({ set }) => set?.name))
  return sets
    .filter(({ name }) => !gone.has(name))
    .toSorted((a, b) => a.since - b.since || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_WAITING)
    .map(({ missing, ...set }) => ({ ...set, missing: missing.slice(0, MAX_MISSING) }))
}

function unknownSource(name: string): AudienceError {
  return invalidError(
    'unknown-source',
    `audience.yaml has no source ${name} on another machine`,
    'declare it there, under sources, with sftp or s3',
  )
}

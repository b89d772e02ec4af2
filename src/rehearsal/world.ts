import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import type { Exchange } from '../adapter/transport.ts'
import type { Surroundings } from '../app/surroundings.ts'
import { stringifyJson } from '../core/json.ts'
import type { FaultSpec } from '../service/control/fault-rule.ts'
import { JOURNAL_LENGTH } from '../service/control/request-journal.ts'
import type { CallControl } from '../service/local/control-client.ts'
import { createMatchEngine, type MatchEngine } from '../service/matching/match-engine.ts'
import type { Network as Participants } from '../service/network/network.ts'
import type { RunningService } from '../service/start-service.ts'
import { Happened, type Witness } from './happened.ts'
import { type Passing, WorldNetwork } from './network.ts'
import type { Doing } from './open-runs.ts'
import type { Project } from './project.ts'
import { type Caught, type Runner, startRunner } from './runner.ts'
import { type ReportedRequest, ServiceRequests, serviceControl } from './service-requests.ts'
import { LONGEST_MS, MOST_LEAPS, noEnd, VirtualTime } from './virtual-time.ts'
import { countedIds, seeded, WorldMachine } from './world-machine.ts'

/** The stand-ins for parts of a world, and its observers. */
export interface StandIns {
  /** Replaces matching. */
  readonly engine?: MatchEngine
  /** Replaces the preparation of lists. */
  readonly lists?: NonNullable<Surroundings['lists']>
  /** Receives each request to the service when it is over, and the time when it began. */
  readonly onExchange?: ((exchange: Exchange, beganAt: number) => void) | undefined
  readonly witness?: Witness | undefined
}

/**
 * How long everything continues after the last run has come to rest, in milliseconds, so that answers and messages can
 * arrive and files can be filed away.
 */
const CLOSING_MS = 3_000
/** How often the service is asked whether a partner will answer on its own, in milliseconds. */
const ASK_EVERY_MS = 1_000

/** What a world consists of. */
interface Parts {
  readonly time: VirtualTime
  readonly folder: string
  readonly people: string
  readonly project: Project
  readonly engine: MatchEngine
  readonly service: RunningService
  readonly control: CallControl
  readonly connect: ConnectTo
  readonly machine: WorldMachine
  readonly happened: Happened | undefined
  readonly log: Logger
  readonly random: () => number
  readonly standIns: StandIns
}

/**
 * A separate world: the whole product and the service in one process, with a clock that leaps ahead. Nothing in it
 * reaches the network or writes outside its folder.
 */
export class World {
  readonly #parts: Parts
  readonly time: VirtualTime
  readonly folder: string
  readonly project: Project
  readonly control: CallControl
  readonly caught: Caught = { notified: [], sent: [] }
  #runner: Runner | undefined
  #isDeath: ((passing: Passing) => boolean) | undefined
  /** The process was killed, and nobody has started it again yet. */
  #isDown = false
  /** What unfinished runs were doing when they were last checked. */
  #does: Doing = 'rest'
  #askedAt = Number.NEGATIVE_INFINITY
  readonly #requests = new ServiceRequests()
  #mostLeaps = Number.POSITIVE_INFINITY

  private constructor(parts: Parts) {
    this.#parts = parts
    this.time = parts.time
    this.folder = parts.folder
    this.project = parts.project
    this.control = parts.control
  }

  /** Begins a world at a moment, in milliseconds since 1970. */
  static async begin(options: {
    from: number
    seed: number
    participants: Participants
    /** The folder that contains, or will contain, the people of a service with these participants. */
    people: string
    /** The parent of the world's folder. */
    scratch: string
    makeProject: (folder: string) => Project
    standIns?: StandIns
    /** Whether nobody compares this world with another one. If so, it has no digest. */
    isAlone?: boolean
  }): Promise<World> {
    const { from, seed, participants: network, people, scratch, makeProject, standIns = {}, isAlone = false } = options
    const folder = mkdtempSync(join(scratch, 'audience-world-'))
    const time = new VirtualTime(from)
    const clock = time.clock()
    const log = pino({ level: 'silent' })
    const dataDir = join(folder, 'service')
    const engine = standIns.engine ?? createMatchEngine({ dataDir, network, peopleDir: people, threads: 1 })
    let connect: ConnectTo = () => {
      throw new Error('the service is not running yet')
    }
    // This import is dynamic, because the command loads the service separately.
    const { startService } = await import('../service/start-service.ts')
    const service = await startService({
      ...{ dataDir, network, clock, log, engine },
      newId: countedIds(),
      serve(server) {
        connect = (of, onPassing) => new WorldNetwork(server, of, onPassing)
        return ORIGIN
      },
    })
    const observer = connect(clock, () => true)
    return new World({
      ...{ time, folder, people, engine, service, connect, log, standIns },
      project: makeProject(join(folder, 'project')),
      control: serviceControl(service.control, observer.connect),
      machine: new WorldMachine(time.now),
      happened: isAlone ? undefined : new Happened(folder, standIns.witness),
      random: seeded(seed),
    })
  }

  /** A digest of all requests, responses and records with their times. If the same things happened, it is the same. */
  digest(): string {
    return this.#parts.happened?.digest() ?? ''
  }

  /** The address of its service. */
  get service(): string {
    return this.#parts.service.url
  }

  get runner(): Runner {
    if (!this.#runner) throw new Error('no process is running in this world')
    return this.#runner
  }

  /** Starts the process that runs pipelines, as `audience start` does. */
  async start(): Promise<void> {
    this.#isDown = false
    this.time.stir()
    this.#runner = await startRunner({
      ...this.#parts,
      lists: this.#parts.standIns.lists,
      onExchange: this.#parts.standIns.onExchange,
      caught: this.caught,
      state: join(this.folder, 'state'),
      process: this.#parts.machine.start(),
      connect: (clock) => this.#parts.connect(clock, (passing) => this.#passes(passing)),
    })
  }

  /** Reports that something has changed in a folder. */
  touched(folder: string): void {
    this.#runner?.touched(folder)
  }

  /** A file with the keys of known and unknown people. It is the same for all worlds with the same people. */
  async sample(request: Sample): Promise<string> {
    const { signal, seed, rows, unknown = 0 } = request
    const target = join(this.#parts.people, 'samples', `${signal}-${seed}-${rows}-${unknown}.csv`)
    if (!existsSync(target)) await this.#parts.engine.sample({ ...request, target })
    return target
  }

  /** The process dies and restarts once, just before the wanted request or response arrives. So that one is lost. */
  killAt(isDeath: (passing: Passing) => boolean): void {
    this.#isDeath = isDeath
  }

  /** Returns whether the kill that `killAt` planned is still to come, and forgets that kill. */
  forgetKill(): boolean {
    const isOpen = this.#isDeath !== undefined
    this.#isDeath = undefined
    return isOpen
  }

  async addFault(spec: FaultSpec): Promise<string> {
    return String((await this.during(this.control('faults.add', spec))).id)
  }

  /** Notes the requests since the last call, because the service remembers only a limited number of them. */
  noteRequests(): Promise<void> {
    return this.during(this.#requests.note(this.control))
  }

  /** All requests since the last call, oldest first. */
  async takeRequests(): Promise<readonly ReportedRequest[]> {
    await this.noteRequests()
    return this.#requests.take()
  }

  /**
   * From now on, time may leap as often as is allowed for one event or night of a test. An event that needs more leaps
   * counts as one that never ends.
   */
  limitLeaps(): void {
    this.#mostLeaps = this.time.leaps + MOST_LEAPS
  }

  /** Lets time pass until `isOver` returns true, or nothing more is due by `until`. Resolves to its last result. */
  async goOn(isOver: () => boolean | Promise<boolean>, until = this.time.now() + LONGEST_MS): Promise<boolean> {
    for (;;) {
      await this.time.idle()
      if (this.#isDown) {
        await this.start()
        continue
      }
      if (await isOver()) return true
      if (!this.time.next(until)) return false
      if (this.time.leaps > this.#mostLeaps) throw noEnd()
    }
  }

  /** Lets time pass while some work is in progress. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    await this.goOn(() => isDone)
    if (!isDone) throw noEnd()
    return work
  }

  /**
   * Lets time pass until all runs have ended or are waiting for somebody, and everything that follows has been done.
   * Throws an AudienceError if that never happens.
   */
  async settle(): Promise<void> {
    const until = this.time.now() + LONGEST_MS
    do {
      if (!(await this.goOn(() => this.#isAtRest(), until))) throw noEnd()
      await this.reach(this.time.now() + CLOSING_MS)
    } while (!(await this.#isAtRest()))
  }

  async #isAtRest(): Promise<boolean> {
    this.#does = (await this.runner.does()) ?? this.#does
    if (this.#does !== 'partner') return this.#does === 'rest'
    // Asking takes a moment, in which something may become due.
    if (this.time.now() < this.#askedAt + ASK_EVERY_MS) return false
    this.#askedAt = this.time.now()
    const { jobs } = await this.during(this.control('jobs.list', { active: true, limit: 1_000 }))
    // A job with a due time has a partner that answers on its own.
    return (jobs as readonly { dueAt?: string | null }[]).every(({ dueAt = null }) => dueAt === null)
  }

  /** Lets time pass until `at`. */
  async reach(at: number): Promise<void> {
    await this.goOn(() => false, at)
    this.time.leapTo(at)
  }

  /** The process dies immediately, and nobody starts it again. */
  stop(): void {
    this.#runner?.kill()
    this.#runner = undefined
  }

  async end(): Promise<void> {
    this.stop()
    await this.during(this.#parts.service.close())
  }

  /** Adds all records of all runs to what has happened. */
  async noteRecords(): Promise<void> {
    const { runs } = this.runner.app.state
    for (const { runId } of (await this.during(runs.page({ limit: JOURNAL_LENGTH }))).rows)
      for (const stored of await this.during(runs.records(runId)))
        this.#parts.happened?.note(runId, stringifyJson(stored))
  }

  #passes(passing: Passing): boolean {
    const { method, path, direction, begins, content } = passing
    const at = this.time.now()
    this.#parts.happened?.note(`${at} ${direction} ${method} ${path}`, content.toString('latin1'))
    if (!begins || !this.#isDeath?.(passing)) return true
    this.#isDeath = undefined
    this.#isDown = true
    this.#runner?.kill()
    return false
  }
}

type Sample = Omit<Parameters<MatchEngine['sample']>[0], 'target'>
type ConnectTo = (clock: ReturnType<VirtualTime['clock']>, onPassing: (passing: Passing) => boolean) => WorldNetwork

const ORIGIN = 'http://audience.test'

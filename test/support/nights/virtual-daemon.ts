import { type Audience, type Ended, spawnAudience } from '../audience.ts'
import { kill, type Project, spawnDaemon, stateRows, untilReady } from '../daemon.ts'
import { askClock, virtualTime } from '../virtual-time.ts'

/** How much faster than real time its clock goes once it has started. */
const SPEED = 20
const UNDER_WAY = `SELECT 1 FROM runs WHERE status = 'running'`

/** The daemon of a project, and other commands, on a virtual clock that continues while nothing runs. */
export class VirtualDaemon {
  readonly #project: Project
  #process: Audience | undefined
  /** The latest known virtual time, and when it was read, by the clock of this process. */
  #time: number
  #askedAt = performance.now()
  #speed = 0
  kills = 0
  stops = 0
  /** How often it was ended while runs were active. */
  interruptions = 0

  constructor(project: Project, time: number) {
    this.#project = project
    this.#time = time
  }

  get isUp(): boolean {
    return this.#process !== undefined
  }

  async now(): Promise<number> {
    return this.#ask({})
  }

  async leapTo(time: number): Promise<void> {
    await this.#ask({ leapTo: time })
  }

  /**
   * Starts at `time`, or now if that has passed. With `killAfterMs`, it is killed after that many real milliseconds and
   * starts again.
   */
  async start(time: number, { killAfterMs }: { readonly killAfterMs?: number } = {}): Promise<void> {
    this.#see(Math.max(time, this.#latest()), 1)
    const { options } = this.#project
    const virtual = virtualTime(this.#time)
    const env = { ...options.env, ...virtual.env }
    const child = spawnDaemon({ ...options, ...virtual, env, ipc: true })
    this.#process = child
    if (killAfterMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, killAfterMs))
      await this.kill()
      return this.start(time)
    }
    await untilReady(child)
    await this.#ask({ speed: SPEED })
    this.#speed = SPEED
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
    this.kills += 1
  }

  async stop(): Promise<void> {
    const ended = await this.#end('SIGTERM')
    if (ended?.code !== 0) throw new Error(`SIGTERM ended the daemon with ${ended?.code}: ${ended?.err}`)
    this.stops += 1
  }

  /** Runs another command at the same time. */
  async command(...args: readonly string[]): Promise<string> {
    const { options } = this.#project
    const virtual = virtualTime(this.isUp ? await this.now() : this.#time)
    const env = { ...options.env, ...virtual.env }
    const { code, out, err } = await spawnAudience(args, { ...options, ...virtual, env }).ended
    if (code !== 0) throw new Error(`audience ${args.join(' ')} ended with ${code}: ${err}`)
    return out
  }

  async #end(signal: NodeJS.Signals): Promise<Ended | undefined> {
    const child = this.#process
    if (!child) return undefined
    const ended = await kill(child, signal)
    this.#see(this.#latest(), 0)
    this.#process = undefined
    if (stateRows(this.#project, UNDER_WAY).length > 0) this.interruptions += 1
    return ended
  }

  async #ask(request: Parameters<typeof askClock>[1]): Promise<number> {
    const askedAt = performance.now()
    const now = this.#process && (await askClock(this.#process, request))
    if (now === undefined) {
      const ended = await this.#process?.ended
      throw new Error(`the daemon is not there: ${ended?.err}`)
    }
    this.#time = now
    this.#askedAt = askedAt
    return now
  }

  #latest(): number {
    return this.#time + (performance.now() - this.#askedAt) * this.#speed
  }

  #see(time: number, speed: number): void {
    this.#time = Math.ceil(time)
    this.#askedAt = performance.now()
    this.#speed = speed
  }
}

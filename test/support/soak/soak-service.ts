import type { ReadyService } from '../audience.ts'
import { spawnService } from '../audience.ts'
import { directClient } from '../four-writes.ts'
import { freePort } from '../free-port.ts'
import { hostService } from '../host-service.ts'

/** The names of the things that the service has, repeated if a name exists several times. */
interface Made {
  readonly segments: readonly string[]
  readonly matches: readonly string[]
  readonly activations: readonly string[]
}

type Running = Pick<Awaited<ReturnType<typeof spawnService>>, 'service' | 'stop'>

/** The service of a soak, which can be killed and comes back at the same address. */
export class SoakService {
  readonly #state: string
  #running: Running

  private constructor(state: string, running: Running) {
    this.#state = state
    this.#running = running
  }

  /** As a separate process. */
  static async start(state: string): Promise<SoakService> {
    return new SoakService(state, await spawnService(state, await freePort()))
  }

  /** In this process, for a soak that does not kill the service. */
  static async host(state: string): Promise<SoakService> {
    return new SoakService(state, await hostService(state))
  }

  get #ready(): ReadyService {
    return this.#running.service
  }

  get url(): string {
    return this.#ready.url
  }

  get token(): string {
    return this.#ready.token
  }

  /** SIGKILL, then a pause, then a new process. */
  async restart(pause: () => Promise<void>): Promise<void> {
    await this.#running.stop()
    await pause()
    this.#running = await spawnService(this.#state, Number(new URL(this.url).port))
  }

  async made(): Promise<Made> {
    const api = directClient(this.#ready)
    try {
      const segments = await Array.fromAsync(api.items('segments.list', {}))
      const matches = await Array.fromAsync(api.items('matches.list', { requester: true }))
      const activations = await Array.fromAsync(api.items('activations.list', {}))
      return {
        segments: segments.map(({ segmentName }) => segmentName),
        matches: matches.map(({ segmentName }) => segmentName ?? ''),
        activations: activations.map(({ ActivationName }) => ActivationName ?? ''),
      }
    } finally {
      await api.close()
    }
  }

  close(): Promise<void> {
    return this.#running.stop()
  }
}

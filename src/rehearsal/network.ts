import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { withoutChance } from './happened.ts'
import type { Turn, WorldClock } from './virtual-time.ts'

/** How long data takes to arrive. */
const LATENCY_MS = 1

/** A part of a request or a response, just before it arrives. */
export interface Passing {
  readonly method: string
  readonly path: string
  readonly direction: 'request' | 'answer'
  /** Whether this is the first part of the request or response. */
  readonly begins: boolean
  readonly content: Buffer
}

/**
 * Connections to a server in the same process. They use real HTTP; only the sockets are missing. Data arrives by the
 * clock of the world, so nothing is in progress while it travels.
 */
export class WorldNetwork {
  readonly #server: Server
  readonly #clock: WorldClock
  /** Called before something arrives. Returns false if the client is gone and the data must not arrive. */
  readonly #onPassing: (passing: Passing) => boolean
  readonly #open = new Set<Connection>()
  #connections = 0

  constructor(server: Server, clock: WorldClock, onPassing: (passing: Passing) => boolean) {
    this.#server = server
    // Without this, responses would state when the server closes the connection, by the clock of the machine.
    server.keepAliveTimeout = 0
    this.#clock = clock
    this.#onPassing = onPassing
  }

  /** Makes a connection; returns the client's end. */
  connect = (): Socket => {
    const connection = new Connection(`${++this.#connections}`.padStart(9, '0'), this.#clock, this.#onPassing)
    this.#open.add(connection)
    connection.client.once('close', () => this.#open.delete(connection))
    this.#server.emit('connection', connection.server)
    return connection.client as unknown as Socket
  }

  /** The clients' process is gone: the server sees its connections end, and the clients receive nothing more. */
  cut(): void {
    for (const { server } of this.#open) server.destroy()
    this.#open.clear()
  }
}

class Connection {
  readonly client: End
  readonly server: End
  #asked: Pick<Passing, 'method' | 'path'> = { method: '', path: '' }
  #isAnswered = false
  /**
   * If several connections send files, it is random which file is read first. Their requests are not random, so the
   * request decides whose turn it is.
   */
  #turn: Turn

  constructor(name: string, clock: WorldClock, onPassing: (passing: Passing) => boolean) {
    this.#turn = () => ` ${name}`
    const carry = (arrive: () => void, passing?: Passing) => {
      clock.sleep(LATENCY_MS, undefined, undefined, this.#turn).then(
        () => {
          if (!passing || onPassing(passing)) arrive()
        },
        () => undefined,
      )
    }
    this.client = new End((arrive, content) => {
      if (!content) return carry(arrive)
      const head = content.toString('latin1', 0, 2_000)
      const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1/.exec(head) ?? []
      const begins = method !== undefined && path !== undefined
      if (begins) {
        this.#asked = { method, path }
        this.#isAnswered = false
        this.#turn = () => `${path} ${withoutChance(head)} ${name}`
      }
      carry(arrive, { ...this.#asked, direction: 'request', begins, content })
    })
    this.server = new End((arrive, content) => {
      carry(arrive, content && { ...this.#asked, direction: 'answer', begins: !this.#isAnswered, content })
      this.#isAnswered = true
    })
    this.client.peer = this.server
    this.server.peer = this.client
  }
}

/** One end of a connection, with the parts that HTTP needs. */
class End extends Duplex {
  peer!: End
  readonly #carry: (arrive: () => void, content?: Buffer) => void
  readonly remoteAddress = '127.0.0.1'
  readonly localAddress = '127.0.0.1'

  constructor(carry: (arrive: () => void, content?: Buffer) => void) {
    super({ allowHalfOpen: true })
    this.#carry = carry
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#carry(() => {
      if (!this.peer.destroyed) this.peer.push(chunk)
      done()
    }, chunk)
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    const parts = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    )
    this._write(Buffer.concat(parts), 'utf8', done)
  }

  override _final(done: () => void): void {
    this.#carry(() => {
      if (!this.peer.destroyed) this.peer.push(null)
      done()
    })
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { peer } = this
    if (!peer.destroyed) this.#carry(() => peer.destroyed || peer.destroy(reset()))
    done(error)
  }

  resetAndDestroy(): this {
    return this.destroy()
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy()
    else this.end(() => this.destroy())
  }

  setNoDelay = () => this
  setKeepAlive = () => this
  setTimeout = () => this
  ref = () => this
  unref = () => this
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}

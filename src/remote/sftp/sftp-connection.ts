import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { SteadyClock, Timer } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import type { AudienceError } from '../../core/errors.ts'
import { formatTimeLimit } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { messageOf } from '../../core/message-of.ts'
import { printable } from '../../core/printable.ts'
import { remoteError } from '../../core/remote-error.ts'
import type { SftpConfig } from '../../core/remote-source.ts'
import { REQUEST, readSftpAnswer, requestPacket, type SftpAnswer, STATUS } from './packets.ts'
import { sshArguments, sshEnvironment } from './ssh-command.ts'
import { greetingOf, requireSshFiles, type SshGreeting, sshFailure } from './ssh-failure.ts'

/** How long the server may take for one answer. After this time, the connection ends. */
const SILENCE_MS = 60_000
/** OpenSSH sends at most 256 kB. */
const MAX_PACKET_BYTES = 2 ** 20
/** How much of the client's output is kept, at its beginning and at its end. */
const MAX_SAID = 16_384
const VERSION = 3

interface Waiting {
  readonly resolve: (answer: SftpAnswer) => void
  readonly reject: (error: Error) => void
}

/** One connection to a server. After its end, every request rejects immediately, with the reason for the end. */
export class SftpConnection {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #config: SftpConfig
  readonly #clock: SteadyClock
  readonly #waiting = new Map<number, Waiting>()
  #silence: Timer | undefined
  #nextId = 1
  #said = ''
  #ended: AudienceError | undefined
  #pieces: Buffer[] = []
  #length = 0

  /** Connects. Throws the errors that `RemoteSource` describes. */
  static async open(config: SftpConfig, clock: SteadyClock): Promise<SftpConnection> {
    await requireSshFiles(config)
    const connection = new SftpConnection(config, clock)
    const answer = await connection.#send(0, requestPacket(REQUEST.init, [VERSION]))
    if (answer.kind === 'version' && answer.version >= VERSION) return connection
    throw connection.#end(connection.#nonsense('it does not speak version 3 of SFTP'))
  }

  private constructor(config: SftpConfig, clock: SteadyClock) {
    this.#config = config
    this.#clock = clock
    this.#process = spawn('ssh', sshArguments(config), { env: sshEnvironment(), stdio: 'pipe' })
    this.#process.stdout.on('data', (piece: Buffer) => this.#receive(piece))
    this.#process.stderr.on('data', (piece: Buffer) => {
      this.#said += piece.toString('utf8')
      if (this.#said.length > MAX_SAID)
        this.#said = `${this.#said.slice(0, MAX_SAID / 2)}\n${this.#said.slice(-MAX_SAID / 2)}`
    })
    // A write after the client has ended fails, but the client's end is reported anyway.
    this.#process.stdin.on('error', () => undefined)
    this.#process.on('error', (error) => this.#end(notStarted(error)))
    this.#process.on('close', () => this.#end(sshFailure(this.#said, this.#config)))
  }

  get isEnded(): boolean {
    return this.#ended !== undefined
  }

  get greeting(): SshGreeting {
    return greetingOf(this.#said)
  }

  /** Sends a request and resolves with the answer to it, which may be a status. */
  request(type: number, ...fields: readonly (string | Buffer | number | bigint)[]): Promise<SftpAnswer> {
    const id = this.#nextId
    this.#nextId = (id + 1) % 2 ** 32 || 1
    return this.#send(id, requestPacket(type, [id, ...fields]))
  }

  /** Ends the client, and waits until it has ended. */
  async close(): Promise<void> {
    this.#end(remoteError('source-unreachable', { message: 'the connection was closed' }))
    const { exitCode, signalCode, pid } = this.#process
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    await new Promise<void>((resolve) => this.#process.once('exit', () => resolve()))
  }

  #send(id: number, packet: Buffer): Promise<SftpAnswer> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      if (this.#waiting.size === 1) this.#listen()
      this.#process.stdin.write(packet)
    })
  }

  /** While a request is open, the server must say something from time to time. */
  #listen(): void {
    this.#silence?.cancel()
    this.#silence = this.#clock.timer(SILENCE_MS, () =>
      this.#end(this.#nonsense(`it has not answered for ${formatTimeLimit(SILENCE_MS)}`)),
    )
  }

  #receive(piece: Buffer): void {
    if (this.#ended) return
    this.#pieces.push(piece)
    this.#length += piece.length
    while (this.#length >= 4) {
      const first = this.#pieces[0] as Buffer
      if (first.length < 4) this.#pieces = [Buffer.concat(this.#pieces)]
      const length = (this.#pieces[0] as Buffer).readUInt32BE()
      if (length === 0 || length > MAX_PACKET_BYTES) {
        this.#end(this.#nonsense(`it sent an answer of ${count(length, 'byte')}`))
        return
      }
      if (this.#length < 4 + length) return
      const whole = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces)
      this.#pieces = whole.length > 4 + length ? [whole.subarray(4 + length)] : []
      this.#length -= 4 + length
      if (!this.#take(whole.subarray(4, 4 + length))) return
    }
  }

  /** Passes an answer to the request that is waiting for it. Returns false if the connection has ended. */
  #take(packet: Buffer): boolean {
    try {
      const answer = readSftpAnswer(packet)
      const id = answer.kind === 'version' ? 0 : answer.id
      const waiting = this.#waiting.get(id)
      if (!waiting) throw new RangeError('it answered a request that was not sent')
      this.#waiting.delete(id)
      if (this.#waiting.size > 0) this.#listen()
      else this.#silence?.cancel()
      waiting.resolve(answer)
      return true
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#end(this.#nonsense(error.message))
      return false
    }
  }

  #nonsense(what: string): AudienceError {
    const { host, port = 22 } = this.#config
    return remoteError('source-unreachable', {
      message: `${host}:${port} does not answer as it should: ${what}`,
      hint: 'this will be retried automatically; if the problem persists, ask the owner of the server',
    })
  }

  #end(why: AudienceError): AudienceError {
    if (this.#ended) return this.#ended
    this.#ended = why
    this.#silence?.cancel()
    this.#process.kill('SIGKILL')
    for (const { reject } of this.#waiting.values()) reject(why)
    this.#waiting.clear()
    this.#pieces = []
    return why
  }
}

function notStarted(error: Error): AudienceError {
  const isMissing = codeOf(error) === 'ENOENT'
  return remoteError('source-unreachable', {
    message: isMissing ? 'ssh is not installed on this machine' : `ssh cannot be started: ${messageOf(error)}`,
    hint: isMissing ? 'install it: apt-get install openssh-client' : undefined,
  })
}

/** The error for an answer that a request cannot use. */
export function unexpected(answer: SftpAnswer, what: string, act: 'read' | 'write' = 'read'): AudienceError {
  const said = answer.kind === 'status' ? printable(answer.message).slice(0, 100) || `code ${answer.code}` : answer.kind
  const message = `${printable(what).slice(0, 300)}: the server says "${said}"`
  const isRefused = answer.kind === 'status' && [STATUS.refused, STATUS.failure].some((code) => code === answer.code)
  if (!isRefused) return remoteError('source-unreachable', { message })
  return act === 'write'
    ? remoteError('source-read-only', {
        message,
        hint: 'ask the owner of the server to let this account move files, or write done: keep',
      })
    : remoteError('source-access-refused', {
        message,
        hint: 'ask the owner of the server to let this account read there',
      })
}

/** The result of some work, or the reason of the signal as soon as it aborts. */
export function withSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined)
    return Promise.reject(signal.reason)
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

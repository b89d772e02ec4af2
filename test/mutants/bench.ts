import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Everything else in the tree is copied, because tests read more than the source. */
const NOT_COPIED = new Set(['.git', 'node_modules', 'test-results'])
/** No limit is shorter, because a busy machine must not look like a hang. */
const LEAST_MS = 45_000

export interface HostOrder {
  readonly files: readonly string[]
  /** Ends with the first test that fails. */
  readonly isToBail: boolean
}

export type HostAnswer =
  | { readonly isReady: true }
  | TestFile
  | {
      /** The errors from outside tests, as text. */
      readonly unhandled: readonly string[]
      readonly isBailed: boolean
    }

/** The result of a test file. */
interface TestFile {
  readonly file: string
  readonly hasFailed: boolean
  readonly ms: number
}

export interface Results {
  readonly files: readonly TestFile[]
  /** A test file took too long, an error came from outside tests, or Vitest itself ended. */
  readonly trouble?: string
}

/** A copy of the tree in which mutants are tried, one at a time. */
export class Bench {
  readonly #signal: AbortSignal
  readonly copy: string
  #temporary = ''
  #host: ChildProcess | undefined

  constructor(root: string, signal: AbortSignal) {
    this.#signal = signal
    this.copy = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'audience-mutants-'))
    // PostgreSQL runs as its own user.
    chmodSync(this.copy, 0o711)
    for (const name of readdirSync(root).filter((each) => !NOT_COPIED.has(each)))
      cpSync(join(root, name), join(this.copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(this.copy, 'node_modules'))
    signal.addEventListener('abort', () => this.#endHost())
  }

  /** Replaces the source with these texts and builds, because tests start processes from `dist/`. */
  async load(texts: ReadonlyMap<string, string>): Promise<void> {
    this.#endHost()
    for (const [file, text] of texts) writeFileSync(join(this.copy, file), text)
    writeFileSync(join(this.copy, 'mutants-reached'), '', { mode: 0o666 })
    writeFileSync(join(this.copy, 'mutant-on'), '')
    await promisify(execFile)('npm', ['run', '-s', 'build'], { cwd: this.copy, signal: this.#signal })
  }

  /** The mutants that a test file reaches: lines with a number and a file, or without a file if it is unknown. */
  reached(): readonly string[] {
    return readFileSync(join(this.copy, 'mutants-reached'), 'utf8').split('\n')
  }

  /** Runs test files one after the other with a mutant switched on, or records which mutants they reach. */
  async run(
    files: readonly string[],
    { mutant, fileMs, isToBail }: { mutant: number | 'noting'; fileMs: number; isToBail: boolean },
  ): Promise<Results> {
    writeFileSync(join(this.copy, 'mutant-on'), String(mutant))
    const host = await this.#openHost()
    const ended: TestFile[] = []
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    let timer: NodeJS.Timeout | undefined
    const wait = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => resolve('hung'), LEAST_MS + ms)
    }
    const onMessage = (answer: HostAnswer) => {
      if ('unhandled' in answer) {
        const [error] = answer.isBailed ? [] : answer.unhandled
        resolve(error === undefined ? undefined : `an error outside tests (${error})`)
      } else if ('file' in answer) {
        ended.push(answer)
        wait(isToBail && answer.hasFailed ? 0 : fileMs)
      }
    }
    const onExit = () => resolve('Vitest ended')
    host.on('message', onMessage).on('exit', onExit)
    wait(fileMs)
    host.send({ files, isToBail } satisfies HostOrder)
    const trouble = await promise
    clearTimeout(timer)
    host.off('message', onMessage).off('exit', onExit)
    if (trouble === 'hung' || trouble === 'Vitest ended') this.#endHost()
    this.#signal.throwIfAborted()
    return { files: ended, trouble }
  }

  /** The next run begins without the leftovers of others, such as the tables of PostgreSQL. */
  restart(): void {
    this.#endHost()
  }

  remove(): void {
    this.#endHost()
    rmSync(this.copy, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }

  async #openHost(): Promise<ChildProcess> {
    this.#signal.throwIfAborted()
    if (this.#host) return this.#host
    this.#temporary = mkdtempSync(join(this.copy, 'tmp-'))
    chmodSync(this.#temporary, 0o711)
    mkdirSync(join(this.copy, 'compiled'), { recursive: true })
    this.#host = fork(join(this.copy, 'test/mutants/vitest-host.ts'), {
      cwd: this.copy,
      env: {
        ...process.env,
        MUTANTS_TEMPORARY: this.#temporary,
        NODE_COMPILE_CACHE: join(this.copy, 'compiled'),
      },
      stdio: [
        'ignore',
        process.env.MUTANTS_DEBUG ? 'inherit' : 'ignore',
        process.env.MUTANTS_DEBUG ? 'inherit' : 'ignore',
        'ipc',
      ],
      detached: true,
    })
    const [answer] = await Promise.race([once(this.#host, 'message'), once(this.#host, 'exit')])
    if (!(typeof answer === 'object' && answer !== null))
      throw new Error('Vitest does not start; MUTANTS_DEBUG=1 shows why')
    return this.#host
  }

  /** Ends the host together with all processes of its group, and the servers, which have left the group. */
  #endHost(): void {
    const pid = this.#host?.pid
    this.#host = undefined
    if (pid === undefined) return
    kill(-pid, 'SIGKILL')
    for (const name of readdirSync(this.#temporary, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('postmaster.pid'))
        kill(Number(readFileSync(join(this.#temporary, name), 'utf8').split('\n')[0]), 'SIGQUIT')
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

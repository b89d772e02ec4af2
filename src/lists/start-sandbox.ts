import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { AudienceError } from '../core/errors.ts'
import { memoryOver, processEnded, tookTooLong } from './list-errors.ts'
import { isOutOfMemory } from './sandbox-error.ts'
import type { SandboxQuestion, SandboxReply } from './sandbox-messages.ts'

/** The limits that the system enforces on a process. */
interface ProcessLimits {
  readonly memoryBytes: number
  readonly timeoutMs: number
  /** The maximum size of a file that it writes. */
  readonly fileBytes: number
  /** How long the process may already have worked on earlier lists. */
  readonly sparedMs: number
}

/** A process that runs DuckDB for one list, and then perhaps for another. */
export interface SandboxProcess {
  /** Rejects with an AudienceError if DuckDB reports an error, or if the process ends before it answers. */
  ask(question: SandboxQuestion): Promise<unknown>
  /** Whether it runs and has no question to answer. */
  isFree(): boolean
  ageMs(): number
  /** Until the next question, it does not keep this process from ending. */
  rest(): void
  /** Ends it immediately; resolves when it has ended. */
  end(): Promise<void>
}

/**
 * Sets limits that the system enforces, then becomes the program. The limits are: no core dump, because it would
 * contain data about people; data in memory (kB); processor time (s), in case the parent hangs; file size (512 bytes).
 * When memory runs out, the system ends this process first. A limit that the system does not know cannot be set and is
 * skipped. On such a system, the process watches its memory itself, and the parent always watches the time.
 */
const WITH_LIMITS = `ulimit -c 0; ulimit -d "$1"; ulimit -S -t "$2"; ulimit -f "$3"
echo 1000 > /proc/self/oom_score_adj; shift 3; exec "$@"`

/** V8 reserves this much address space for code. It counts as data, although V8 fills almost none of it. */
const RESERVED_BYTES = 512 * 1024 * 1024
const NODE_OPTIONS = ['--max-old-space-size=64', '--v8-pool-size=1']
/** DuckDB has at most two threads. */
const PROCESSORS = 2
const MOST_ERRORS = 1 << 16

/**
 * Starts a process that gets only a message channel from this one: no environment and no other open files. It is in its
 * own group, so that only this process ends it, and it ends itself when the channel closes.
 */
export function startSandbox({ memoryBytes, timeoutMs, fileBytes, sparedMs }: ProcessLimits): SandboxProcess {
  const limits = [
    (memoryBytes + RESERVED_BYTES) / 1024,
    ((timeoutMs + sparedMs) / 1000) * PROCESSORS,
    fileBytes / 512,
  ].map((limit) => String(Math.ceil(limit)))
  const program = [process.execPath, ...NODE_OPTIONS, fileURLToPath(programUrl())]
  const child = spawn('/bin/sh', ['-c', WITH_LIMITS, 'sh', ...limits, ...program], {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    detached: true,
  })
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  const isOver = heardOver(child)
  const ended = endOf(child).then((how) => {
    const error = isOver() ? memoryOver(memoryBytes) : how === 'SIGXCPU' ? tookTooLong(timeoutMs) : processEnded(how)
    for (const question of open.values()) question.reject(error)
    open.clear()
    return error
  })
  const startedAt = performance.now()
  let asked = 0

  child.on('message', (reply: SandboxReply) => {
    if ('over' in reply) return
    const question = open.get(reply.id)
    open.delete(reply.id)
    if ('error' in reply) question?.reject(new AudienceError(reply.error))
    else question?.resolve(reply.value)
  })

  return {
    async ask(question) {
      if (!child.connected) throw await ended
      child.ref()
      child.channel?.ref()
      const answer = Promise.withResolvers<unknown>()
      const id = ++asked
      open.set(id, answer)
      // If the message cannot be sent, the process has ended or is about to end.
      child.send({ id, ...question }, () => undefined)
      return answer.promise
    },
    isFree: () => child.connected && open.size === 0,
    ageMs: () => performance.now() - startedAt,
    rest() {
      child.unref()
      child.channel?.unref()
      if (child.stderr instanceof Socket) child.stderr.unref()
    },
    async end() {
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** How a process ended. A process that could not be started counts as ended. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/** Whether the process reported that it uses too much memory, or V8 gave up and reported that memory had run out. */
function heardOver(child: ChildProcess): () => boolean {
  let errors = ''
  let isOver = false
  child.on('message', (reply: SandboxReply) => {
    isOver ||= 'over' in reply
  })
  // The text may contain rows, so it is checked and never shown.
  child.stderr?.setEncoding('latin1').on('data', (text: string) => {
    if (errors.length < MOST_ERRORS) errors += text
  })
  return () => isOver || isOutOfMemory(errors)
}

/**
 * Makes allocators give memory back, because the system counts addresses that they keep for later. DuckDB's jemalloc
 * keeps none. glibc has one heap for all threads, and large blocks stay outside it. By default, once glibc has freed a
 * large block, it puts later ones, such as DuckDB's 32 MB for reading CSV, into the heap, and keeps up to 64 MB free
 * there.
 */
const ALLOCATORS = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '16777216',
  DUCKDB_JE_MALLOC_CONF: 'retain:false',
}

/** These settings and, if it is set here, LD_LIBRARY_PATH, which says where this Node finds its libraries. */
function environment(): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH } = process.env
  return LD_LIBRARY_PATH === undefined ? ALLOCATORS : { ...ALLOCATORS, LD_LIBRARY_PATH }
}

/** In dist/, the program is a separate file beside main.js. Its extension is the same as this file's. */
function programUrl(): URL {
  const isBundled = !import.meta.url.endsWith('/start-sandbox.ts')
  return new URL(isBundled ? '../sandbox-process.js' : './sandbox-process.ts', import.meta.url)
}

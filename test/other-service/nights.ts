import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { runCommandLine } from '../../src/cli/run-command-line.ts'
import { turnClock } from '../support/turn-clock.ts'
import { type OtherService, startOtherService } from './other-service.ts'
import type { Loss, Ways } from './ways.ts'

export const pipelines = resolve(import.meta.dirname, '../../pipelines')

/** The result of a night: the exit code, the state of the run, and the outputs of the pipeline. */
export interface Night {
  readonly code: number
  /** `succeeded`, `waiting` (for a person), or the code of the error. */
  readonly state: string
  /** The message of the error, or of the step that waits. */
  readonly message: string
  readonly hint: string
  readonly outputs: Readonly<Record<string, unknown>>
  readonly runId: string
}

/** A service, and a machine with the command and a state folder. */
export interface Bench extends AsyncDisposable {
  readonly service: OtherService
  readonly folder: string
  /** Runs a document of the repository, or a text, with this many people in its file. */
  run(
    document: string,
    options?: { people?: number; losses?: readonly Loss[]; inputs?: readonly string[] },
  ): Promise<Night>
  audience(args: readonly string[]): Promise<{ readonly code: number; readonly text: string }>
  /** Starts a command. Returns its output so far, and its end. `stop` interrupts it like Ctrl-C. */
  start(args: readonly string[]): { readonly ended: Promise<number>; text(): string; stop(): void }
  /** Continues a run. */
  resume(runId: string, args: readonly string[]): Promise<Night>
  /** Removes the state, as on a new machine. */
  forget(): void
  /** The numbers of the caller's segments, matches and activations at the service. */
  counts(): { readonly segments: number; readonly matches: number; readonly activations: number }
}

/** Closing it removes its folder, because concurrent tests do not know which of them has just ended. */
export async function openBench(ways: Partial<Ways> = {}): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-test-'))
  const activationName = 'Auto intenders nightly'
  const service = await startOtherService({ ways, now: turnClock.now, activationName })
  const state = join(folder, 'state')
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: state }
  const start: Bench['start'] = (args) => {
    const lines = collector()
    const listeners = new Set<() => void>()
    const terminal = {
      out: lines.stream,
      err: lines.stream,
      env,
      cwd: folder,
      surroundings: systemSurroundings,
      onInterrupt(listener: () => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      whenUnread: () => undefined,
    }
    return {
      ended: runCommandLine(args, terminal),
      text: lines.text,
      stop() {
        for (const listener of listeners) listener()
      },
    }
  }
  const audience = async (args: readonly string[]) => {
    const { ended, text } = start(args)
    return { code: await ended, text: text() }
  }
  return {
    service,
    folder,
    audience,
    start,
    async run(document, { people = 120, losses = [], inputs = [] } = {}) {
      for (const loss of losses) service.lose(loss)
      const file = join(folder, 'people.csv')
      writeFileSync(file, Array.from({ length: people }, (_, index) => `p${index}@example.com`).join('\n'))
      // The document is not used at its place in the repository, because git is not called outside a repository.
      const path = join(folder, 'document.yaml')
      if (document.includes('\n')) writeFileSync(path, document)
      else copyFileSync(join(pipelines, document), path)
      const given = [`file=${file}`, ...inputs].flatMap((input) => ['-i', input])
      const { code, text } = await audience(['run', path, '--json', ...given])
      return nightOf(code, text)
    },
    async resume(runId, args) {
      const { code, text } = await audience(['runs', 'resume', runId, ...args, '--json'])
      return nightOf(code, text)
    },
    forget: () => rmSync(state, { recursive: true, force: true }),
    counts() {
      const { segments, matches, activations } = service.holdings
      const crowd = ways.crowd ?? 0
      return {
        segments: segments.length - crowd,
        matches: matches.length - crowd,
        activations: activations.length - crowd,
      }
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Event {
  readonly event: string
  readonly runId?: string
  readonly reason?: string
  readonly message?: string
  readonly outputs?: Night['outputs']
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
}

function nightOf(code: number, text: string): Night {
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  const events = lines.map((line) => JSON.parse(line) as Event)
  const last = events.at(-1)
  const { error, outputs = {} } = last ?? {}
  const state =
    error?.code ?? (last?.event === 'step.waiting' ? 'waiting' : last === undefined ? 'refused' : 'succeeded')
  const message = error?.message ?? last?.message ?? (last === undefined ? text : '')
  return { code, state, message, hint: error?.hint ?? '', outputs, runId: events[0]?.runId ?? '' }
}

function collector() {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return { stream, text: () => text }
}

import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quickDisk } from './quick-disk.ts'
import type { TestOrder, WorkerReport } from './test-orders.ts'
import type { TestResult } from './test-result.ts'

/** How the tests of one file ended. */
export interface FileResult {
  readonly file: string
  readonly results: readonly TestResult[]
  /** Why not all of them ran. */
  readonly broken?: { readonly message: string; readonly hint: string | undefined } | undefined
}

/** A world in which nothing has happened for so long stands still. */
const STILL_MS = 180_000

/** Runs test files, each in a process of its own, at most `jobs` at once; gives the results in the order of the files. */
export async function* runTestFiles(
  asked: readonly Omit<TestOrder, 'scratch'>[],
  { jobs, signal }: { readonly jobs: number; readonly signal: AbortSignal },
): AsyncGenerator<FileResult> {
  const scratch = mkdtempSync(join(quickDisk(), 'audience-test-'))
  const orders = asked.map((order) => ({ ...order, scratch }))
  const running: Promise<FileResult>[] = []
  const next = () => {
    const order = orders[running.length]
    if (order && !signal.aborted) running.push(runInProcess(order, signal).finally(next))
  }
  try {
    for (let job = 0; job < jobs; job++) next()
    for (let at = 0; at < orders.length; at++) {
      const result = running[at]
      if (result) yield await result
    }
  } finally {
    await Promise.all(running)
    // Whatever the processes left; worlds that are kept have been moved.
    rmSync(scratch, { recursive: true, force: true })
  }
}

function runInProcess(order: TestOrder, signal: AbortSignal): Promise<FileResult> {
  return new Promise((resolve) => {
    const { file } = order
    const results: TestResult[] = []
    let broken: FileResult['broken']
    let hasEnded = false
    const errors: string[] = []
    const child = fork(program(), [JSON.stringify(order)], {
      env: environment(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const end = () => child.kill('SIGKILL')
    signal.addEventListener('abort', end)
    const stillness = setTimeout(() => {
      broken = stoodStill()
      end()
    }, STILL_MS)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text))
    child.on('message', (report: WorkerReport) => {
      stillness.refresh()
      if ('result' in report) results.push(report.result)
      else if ('ended' in report) hasEnded = true
      else broken = report.broken
    })
    child.on('close', (code, how) => {
      clearTimeout(stillness)
      signal.removeEventListener('abort', end)
      if (!hasEnded && !broken && !signal.aborted)
        broken = endedEarly(how ?? `exit code ${code}`, errors.join('').trim())
      resolve({ file, results, broken })
    })
  })
}

/** Only what Node needs: the environment of a test is what its file says. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LD_LIBRARY_PATH } = process.env
  return Object.fromEntries(
    Object.entries({ PATH, HOME, TMPDIR, LD_LIBRARY_PATH, TZ: 'UTC' }).filter(([, value]) => value !== undefined),
  )
}

function stoodStill(): NonNullable<FileResult['broken']> {
  return {
    message: `the world stood still for ${STILL_MS / 60_000} minutes: something in it is open and does not end`,
    hint: 'run it again; if it stands still again, it is a fault of this program',
  }
}

function endedEarly(how: string, errors: string): NonNullable<FileResult['broken']> {
  const said = errors === '' ? '' : `: ${errors.slice(-2_000)}`
  return { message: `the process of the tests ended early (${how})${said}`, hint: undefined }
}

/** In dist/ it is a file of its own, beside main.js; the extension is that of this file. */
function program(): string {
  const isBundled = !import.meta.url.endsWith('/run-test-files.ts')
  return fileURLToPath(new URL(isBundled ? '../test-worker.js' : './test-worker.ts', import.meta.url))
}

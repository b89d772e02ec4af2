import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface TestFile {
  readonly file: string
  readonly hasFailed: boolean
  readonly ms: number
}

/** What became of the test files that ended; `isHung` if they took longer than they may. */
export interface Results {
  readonly isHung: boolean
  readonly files: readonly TestFile[]
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
  }[]
}

/** Runs test files of a copy of the tree, in a group of processes that ends with them, also if the signal aborts. */
export async function runTests(
  copy: string,
  tests: readonly string[],
  {
    limitMs,
    signal,
    env = {},
    isWhole = false,
  }: { limitMs: number; signal: AbortSignal; env?: Record<string, string>; isWhole?: boolean },
): Promise<Results> {
  signal.throwIfAborted()
  const temporary = mkdtempSync(join(copy, 'run-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(temporary, 0o711)
  const report = join(temporary, 'report.json')
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const options = ['--config', 'test/mutants/vitest.config.ts', '--reporter=json', `--outputFile=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...(isWhole ? [] : ['--bail=1']), ...tests], {
    cwd: copy,
    env: { ...process.env, ...env, MUTANTS_TEMPORARY: temporary },
    stdio: process.env.MUTANTS_DEBUG ? 'inherit' : 'ignore',
    detached: true,
  })
  let isHung = false
  const end = () => endGroup(child.pid)
  const timer = setTimeout(() => {
    isHung = true
    end()
  }, limitMs)
  signal.addEventListener('abort', end)
  await once(child, 'close')
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  // What tests left when they were ended.
  end()
  endServers(temporary)
  const files = existsSync(report) ? readReport(copy, report) : []
  // A server may still be writing.
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  signal.throwIfAborted()
  return { isHung, files }
}

function readReport(copy: string, report: string): readonly TestFile[] {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return testResults.map(({ name, status, startTime, endTime }) => ({
    file: name.slice(copy.length + 1),
    hasFailed: status === 'failed',
    ms: endTime - startTime,
  }))
}

function endGroup(pid: number | undefined): void {
  if (pid !== undefined) kill(-pid, 'SIGKILL')
}

/** PostgreSQL leaves the group of the process that starts it. */
function endServers(temporary: string): void {
  for (const name of readdirSync(temporary).filter((each) => each.startsWith('audience-postgres-'))) {
    const file = join(temporary, name, 'postmaster.pid')
    if (existsSync(file)) kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGQUIT')
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

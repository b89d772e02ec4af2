// A process with one open Vitest. It runs the given test files in order, each in a new process.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'
import type { HostAnswer, HostOrder } from './bench.ts'

const root = resolve(import.meta.dirname, '../..')
const temporary = process.env.MUTANTS_TEMPORARY ?? ''
let order: HostOrder = { files: [], isToBail: false }

class AsTold extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => order.files.indexOf(relative(root, moduleId))
    return files.sort((a, b) => place(a) - place(b))
  }
}

const vitest = await createVitest('test', {
  config: 'test/mutants/vitest.config.ts',
  watch: false,
  sequence: { sequencer: AsTold },
  reporters: [
    {
      onTestCaseResult: (test) => bailIf(test.result().state === 'failed'),
      onTestModuleEnd(module) {
        const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
          module.diagnostic()
        const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration
        const hasFailed = !module.ok()
        bailIf(hasFailed)
        if (module.state() !== 'skipped' || !isBailing) say({ file: relative(root, module.moduleId), hasFailed, ms })
      },
    },
  ],
})
const specifications = new Map(
  (await vitest.globTestSpecifications()).map((one) => [relative(root, one.moduleId), one]),
)
let isBailing = false
process.on('message', (told: HostOrder) => void run(told))
say({ isReady: true })

async function run(told: HostOrder): Promise<void> {
  order = told
  isBailing = false
  const folder = mkdtempSync(join(temporary, 'run-'))
  // PostgreSQL runs as its own user.
  chmodSync(folder, 0o711)
  // Not started by this process: servers for all runs, such as PostgreSQL, stay.
  for (const { config } of vitest.projects) config.env = { ...config.env, TMPDIR: folder }
  // Otherwise, files that failed before would count as failed now.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const { unhandledErrors } = await vitest.runTestSpecifications(
    told.files.flatMap((file) => specifications.get(file) ?? []),
  )
  endLeft(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  say({ unhandled: unhandledErrors.map(textOf), isBailed: isBailing })
}

function bailIf(hasFailed: boolean): void {
  if (!hasFailed || !order.isToBail || isBailing) return
  isBailing = true
  vitest.cancelCurrentRun('test-failure').catch(() => undefined)
}

/** Errors of tests come from their process, without their class. */
function textOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
}

function say(answer: HostAnswer): void {
  process.send?.(answer)
}

/** Ends the processes that failed tests left running. The PostgreSQL server also serves the next run. */
function endLeft(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${folder}`)
      const isPostgres = readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
      // Its working directory is its data folder.
      const servesAll = isPostgres && !readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      if (isOurs && !servesAll) process.kill(Number(pid), isPostgres ? 'SIGQUIT' : 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

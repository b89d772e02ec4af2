import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { quickDisk } from './quick-disk.ts'
import type { TestOrder, TestResult } from './test-result.ts'
import { type Broken, startWorldProcess } from './world-process.ts'

/** How the tests of one file ended. */
export interface FileResult {
  readonly file: string
  readonly results: readonly TestResult[]
  /** Why some of the tests did not run. */
  readonly broken?: Broken | undefined
}

/** Runs each test file in its own process, at most `jobs` at once. Returns the results in the order of the files. */
export async function* runTestFiles(
  asked: readonly Omit<TestOrder, 'scratch'>[],
  { jobs, signal }: { jobs: number; signal: AbortSignal },
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
    // Removes whatever the processes left behind. Worlds that are kept have already been moved.
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function runInProcess(order: TestOrder, signal: AbortSignal): Promise<FileResult> {
  const results: TestResult[] = []
  const world = startWorldProcess<TestOrder, TestResult>('test-worker', signal)
  const broken = await world.run(order, (result) => results.push(result))
  return { file: order.file, results, broken }
}

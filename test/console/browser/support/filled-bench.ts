import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { givePeople } from '../../../support/people.ts'
import { DOCUMENTS, PARTNER_DOCUMENTS } from '../../documents.ts'
import { type ConsoleBench, startConsoleBench } from '../../support/console-bench.ts'
import { fillService } from './fill-service.ts'
import { BELOW_PATH, behindProxy } from './proxy.ts'
import { untilStatus } from './until-status.ts'

const examples = resolve(import.meta.dirname, '../../../../pipelines')
/** After this many runs, a number has an expected band. */
const GOOD_RUNS = 8

export interface FilledBench extends ConsoleBench {
  /** One run of each kind. */
  readonly runs: {
    readonly good: string
    readonly failed: string
    readonly waiting: string
    readonly many: string
    readonly partly: string
  }
}

/**
 * A console below a path behind a proxy, with the example pipelines, successful runs of the quickstart, a failed run,
 * one that succeeded in part and one that waits for a person. The embedded service has a match that waits for its
 * partner, and a fault that nothing triggers.
 */
export async function startFilledBench(): Promise<FilledBench> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-pages-'))
  cpSync(examples, join(folder, 'pipelines'), { recursive: true, filter: (path) => !path.endsWith('inbox') })
  await givePeople(join(folder, 'state'))
  const documents = { ...DOCUMENTS, ...PARTNER_DOCUMENTS }
  const bench = await behindProxy(await startConsoleBench(documents, { folder, ...BELOW_PATH }))
  const start = async (pipeline: string, inputs = {}) => {
    const { body } = await bench.post('approver', 'runs', { pipeline, inputs })
    if (typeof body.runId !== 'string') throw new Error(`${pipeline} did not start: ${JSON.stringify(body)}`)
    return body.runId
  }
  const before = await Promise.all(Array.from({ length: GOOD_RUNS }, () => start('quickstart')))
  for (const run of before) await untilStatus(bench, run, 'succeeded')
  const good = await start('quickstart')
  const failed = await start('fails')
  const partly = await start('partly')
  const many = await start('many-partners')
  const waiting = await start('ask')
  await untilStatus(bench, good, 'succeeded')
  await untilStatus(bench, failed, 'failed')
  await untilStatus(bench, partly, 'succeeded')
  await untilStatus(bench, many, 'succeeded', 'failed')
  await untilStatus(bench, waiting, 'waiting')
  await fillService(bench)
  return {
    ...bench,
    runs: { good, failed, waiting, many, partly },
    async stop() {
      await bench.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

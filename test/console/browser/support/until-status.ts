import { until } from '../../../support/daemon.ts'
import type { ConsoleBench } from '../../support/console-bench.ts'

/** Waits until a run has one of these statuses. */
export async function untilStatus(bench: ConsoleBench, runId: string, ...statuses: readonly string[]): Promise<void> {
  let status = ''
  const look = async () => {
    const { body } = await bench.as('viewer', `runs/${runId}`)
    status = String((body.run as { readonly status?: string } | undefined)?.status)
    return statuses.includes(status)
  }
  await until(look, { describe: () => `run ${runId}, ${status}, is ${statuses.join(' or ')}` })
}

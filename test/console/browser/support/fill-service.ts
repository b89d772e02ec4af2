import { until } from '../../../support/daemon.ts'
import type { ConsoleBench } from '../../support/console-bench.ts'

/**
 * Makes a match of `partner` that waits for its partner, in the embedded service, and a fault that no request of a run
 * triggers.
 */
export async function fillService(bench: ConsoleBench): Promise<void> {
  const spec = { operation: 'integrations.list', action: 'delay', delayMs: 1500, times: 2 }
  await bench.post('operator', 'service/faults', spec)
  await bench.post('operator', 'runs', { pipeline: 'partner' })
  await until(async () => {
    const { body } = await bench.as('viewer', 'service/jobs?status=PENDING_APPROVAL')
    return (body.jobs as readonly object[]).length === 1
  })
}

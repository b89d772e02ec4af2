// A worker in its own process: `node worker.ts DATABASE SERVICE LEASE_MS`. It prints `ready`, and `lost` before it
// exits with 75.
import type { StepContext } from '../../../../src/core/engine.ts'
import { openWorker } from '../../../support/open-worker.ts'

const [url = '', service = '', lease = ''] = process.argv.slice(2)
const leaseMs = Number(lease)

/** A write that must not be sent twice, as steps send it: announced first, and looked up if its outcome is unknown. */
async function write({ runId, stepKey, once, assertOwned }: StepContext) {
  const place = `${service}/${runId}/${stepKey}`
  let isNew = false
  await once('intent', async () => {
    isNew = true
    return 'announced'
  })
  await once('answer', async () => {
    if (!isNew && (await (await fetch(place)).json()) === true) return 'found'
    const holds = await assertOwned()
    if (holds && !holds()) throw new Error('the lease ended meanwhile')
    return (await fetch(place, { method: 'POST' })).text()
  })
  return {}
}

const times = { beatMs: leaseMs / 5, leaseMs, guardMs: leaseMs + 1000 }
const { engine } = await openWorker(url, write, { random: Math.random, times })
engine.lost.then(() => process.stdout.write('lost\n', () => process.exit(75)))
process.on('SIGTERM', () => {
  void engine.stop(5000).then(() => process.exit(0))
})
process.stdout.write('ready\n')

import { pino } from 'pino'
import { systemClock } from '../../src/platform/clock.ts'
import { defaultNetwork } from '../../src/service/network/default-network.ts'
import { type RunningService, startService } from '../../src/service/start-service.ts'
import { answerParent } from './child.ts'
import { idleEngine } from './idle-engine.ts'
import { memoryWatch } from './memory.ts'

/** The Audience Data Service in a separate process, without the work of matching: everything else is measured. */
const memory = memoryWatch()
let service: RunningService | undefined

export interface ServiceAddress {
  readonly url: string
  readonly token: string
}

answerParent(
  {
    async start({ dataDir, jobsRest }: { dataDir: string; jobsRest: boolean }): Promise<ServiceAddress> {
      const rest = { PENDING: 3_600_000, READY: 3_600_000, RUNNING: 3_600_000 }
      service = await startService({
        dataDir,
        network: jobsRest ? { ...defaultNetwork, latencies: rest } : defaultNetwork,
        clock: systemClock,
        log: pino({ level: 'silent' }),
        engine: idleEngine,
      })
      return { url: service.url, token: service.token }
    },
    cpuMicros: () => process.cpuUsage().user + process.cpuUsage().system,
    beginMemory: () => memory.begin(),
    memoryGrowth: () => memory.growth(),
  },
  () => service?.close(),
)

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { systemClock } from '../../src/platform/clock.ts'
import { defaultNetwork } from '../../src/service/network/default-network.ts'
import { startService } from '../../src/service/start-service.ts'

export interface Subject {
  readonly origin: string
  /** The command line that checks it, with the given origin if there is one. */
  argv(origin?: string): readonly string[]
  close(): Promise<void>
}

/** The participant in the role of the partner. It approves everything. */
const OTHER = 2001

/**
 * The built-in network with few people: no case depends on their number, if some people of the sample are among them.
 */
const network = { ...defaultNetwork, population: { ...defaultNetwork.population, people: 2000 } }

/** Our own service with its real match engine and the participants of the built-in network, in a new folder. */
export async function startSubject(options: { strict?: boolean } = {}): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'audience-conformance-'))
  const log = pino({ level: 'silent' })
  const service = await startService({ dataDir, network, clock: systemClock, log, ...options })
  const tokens: Record<string, string> = JSON.parse(await readFile(join(dataDir, 'tokens.json'), 'utf8'))
  const { origin } = new URL(service.url)
  return {
    origin,
    argv: (through = origin) =>
      [
        ['--base-url', service.url.replace(origin, through)],
        ['--token', service.token],
        ['--control-url', service.control.url],
        ['--control-token', service.control.token],
        ['--other-base-url', `${through}/p/${OTHER}`],
        ['--other-token', tokens[OTHER] ?? ''],
        ['--approval-patience', '1'],
      ].flat(),
    async close() {
      await service.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

import { join } from 'node:path'
import { createMatchEngine } from '../../src/service/matching/match-engine.ts'
import { defaultNetwork } from '../../src/service/network/default-network.ts'
import type { Network } from '../../src/service/network/network.ts'
import { answerParent } from '../support/child.ts'
import { APPROVER, type Figures, PROVIDER, SCOPES, type Work } from './work.ts'

const MATCH = { resultContent: 'BGID', uploadSignal: 'EMAIL', participants: [APPROVER], scopes: SCOPES } as const

/** The service's match engine in its own process. */
answerParent({
  /** Makes the people, the file and the graph before the measurement. */
  async setUp({ dataDir, csvFile, people, rows }: { dataDir: string; csvFile: string; people: number; rows: number }) {
    const engine = createMatchEngine({ dataDir, network: networkOf(people) })
    await engine.prepare()
    const small = join(dataDir, 'small.csv')
    await engine.sample({ signal: 'EMAIL', rows: 10, seed: 1, target: small })
    const segmentFile = join(dataDir, 'small.parquet')
    await engine.buildSegment(buildRequest(small, segmentFile))
    await engine.match({ ...MATCH, segmentFile, target: join(dataDir, 'small.match.parquet') })
    await engine.sample({ signal: 'EMAIL', rows, seed: 7, target: csvFile })
    await engine.close()
  },
  async measure({ dataDir, csvFile, target, people }: Work): Promise<Figures> {
    const engine = createMatchEngine({ dataDir, network: networkOf(people) })
    await engine.prepare()
    const segmentFile = `${target}.segment.parquet`
    const begun = performance.now()
    const { members } = await engine.buildSegment(buildRequest(csvFile, segmentFile))
    const built = performance.now()
    const { matchCount } = await engine.match({ ...MATCH, segmentFile, target: `${target}.match.parquet` })
    const matched = performance.now()
    await engine.close()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    return { segmentMs: built - begun, matchMs: matched - built, members, matchCount, peakBytes }
  },
})

function networkOf(people: number): Network {
  const participants = defaultNetwork.participants.filter(({ id }) => id === PROVIDER || id === APPROVER)
  return { ...defaultNetwork, participants, groups: [], integrations: [], population: { people, seed: 1 } }
}

function buildRequest(csvFile: string, target: string) {
  const kind = { signal: 'EMAIL', resultContent: 'BGID', dated: false, providerId: PROVIDER } as const
  return { ...kind, csvFile, target, at: new Date(0) }
}

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/service/storage/store.ts'

const OWNER = 1001
/** One segment in this many has another signal, so that a filter for it finds few. */
const RARE = 1000

/**
 * Fills the store of a service that does not run yet. All segments exist and all jobs have ended. Job ids begin at 1.
 */
export function seedStore(dataDir: string, counts: { segments: number; jobs: number }): void {
  mkdirSync(dataDir, { recursive: true })
  const store = openStore(join(dataDir, 'service.db'))
  store.transaction(() => {
    for (let number = 0; number < counts.segments; number += 1) {
      const id = segmentId(number)
      store.segments.insert({
        id,
        owner: OWNER,
        participantSegmentId: `own-${number}`,
        segmentName: `Segment ${number}`,
        segmentFileName: 'large.csv',
        uploadSignal: number % RARE === RARE - 1 ? 'IP' : 'EMAIL',
        resultContent: 'BGID',
        uploadDateWithSignals: null,
        providerId: OWNER,
        cpm: null,
        dataOwner: null,
        category: null,
        subCategory: null,
        description: 'Made for a measurement.',
        spi: false,
      })
      store.segments.publish(id, { setFile: `${number}.parquet`, members: 1000, segmentFileName: 'large.csv' })
      store.segments.grant(id, OWNER, { nameShared: true })
    }
  })
  store.transaction(() => {
    for (let number = 0; number < counts.jobs; number += 1) {
      const job = store.jobs.insert({
        participant: OWNER,
        status: 'PENDING',
        dueAt: null,
        segmentId: segmentId(number % counts.segments),
        request: {
          kind: 'segments.create',
          content: 'content',
          segmentFileName: 'large.csv',
          uploadSignal: 'EMAIL',
          resultContent: 'BGID',
          dated: false,
          providerId: OWNER,
        },
        at: 1_700_000_000_000,
      })
      store.jobs.end(job, { status: 'SUCCESS', at: 1_700_000_000_000 })
    }
  })
  store.close()
}

export function segmentId(number: number): string {
  return number.toString(16).padStart(24, '0')
}

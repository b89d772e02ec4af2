import { expect, test } from 'vitest'
import { keepRetention } from '../../src/daemon/retention.ts'

const DAY_MS = 86_400_000

/** Runs the retention of a daemon for this many pauses. The clock leaps over each pause. */
async function keepFor(rests: number, failures = 0) {
  const ending = new AbortController()
  let now = 1000 * DAY_MS
  let failing = failures
  const done: string[] = []
  const log: string[] = []
  const day = (ms: number) => ms / DAY_MS
  await keepRetention(
    { runsMs: 90 * DAY_MS, keep: 20, occurrencesMs: 400 * DAY_MS, auditMs: 500 * DAY_MS },
    {
      state: {
        runs: {
          pipelines: async () => {
            if (failing-- > 0) throw new Error('the disk is full')
            return ['a']
          },
          expired: async ({ before, keep }: { before: number; keep: number }) => {
            const isFirst = !done.some((line) => line.startsWith('removed'))
            done.push(`runs before day ${Math.floor(day(before))}, keep ${keep}`)
            return isFirst ? ['r1', 'r2'] : []
          },
          async remove(ids: readonly string[]) {
            done.push(`removed ${ids.join(' ')}`)
            return ids.length
          },
          async pack() {
            done.push('packed')
            return done.filter((line) => line === 'packed').length === 1
          },
        },
        audit: {
          async forget({ before }: { before: number }) {
            done.push(`acts before day ${Math.floor(day(before))}`)
            return 0
          },
        },
        occurrences: {
          async forget({ before }: { before: number }) {
            done.push(`occurrences before day ${Math.floor(day(before))}`)
            return done.filter((line) => line.startsWith('occ')).length === 1 ? 500 : 7
          },
        },
      } as never,
      async removeExpiredFingerprints(at) {
        done.push(`fingerprints at day ${Math.floor(day(at))}`)
        return done.filter((line) => line.startsWith('fingerprints')).length === 1 ? 3 : 0
      },
      async removeUploads(before) {
        done.push(`uploads before day ${Math.floor(day(before))}`)
        return 2
      },
      clock: {
        now: () => now,
        async sleep(ms) {
          now += ms
          rests -= 1
          if (rests <= 0) ending.abort()
        },
      },
      steadyMs: () => 0,
      log: {
        info: (facts: object) => void log.push(JSON.stringify(facts)),
        warn: (_facts: unknown, text?: string) => void log.push(text ?? ''),
      },
      signal: ending.signal,
    },
  )
  return { done, log }
}

test('what is older than the retention allows is removed and forgotten in pieces, and that is logged once; then runs are packed', async () => {
  const { done, log } = await keepFor(5)
  expect(done).toEqual([
    'runs before day 910, keep 20',
    'removed r1 r2',
    'runs before day 910, keep 20',
    'occurrences before day 600',
    'occurrences before day 600',
    'acts before day 500',
    'fingerprints at day 1000',
    'uploads before day 910',
    'packed',
    'packed',
  ])
  expect(log).toEqual(['{"runs":2,"occurrences":507,"acts":0,"lists":3,"uploads":2}'])
})

test('where that fails it is logged and tried again', async () => {
  const { done, log } = await keepFor(5, 1)
  expect(log[0]).toContain('retried')
  expect(done).toContain('removed r1 r2')
})

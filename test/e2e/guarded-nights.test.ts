import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/run-event.ts'
import { defaultNetwork } from '../../src/service/network/default-network.ts'
import { openDatabase } from '../../src/service/population/database.ts'
import { writeSample } from '../../src/service/population/sample.ts'
import { type ExampleBench, openExampleBench } from '../examples/example-bench.ts'
import { weekly } from '../runs/guards/nights.ts'
import { seededRandom } from '../service/support/seeded-random.ts'
import { isLong } from '../support/is-long.ts'
import { segmentStep } from '../support/segment-step.ts'

/*
 * Nights of a list against the embedded service, by its clock: real files, real matching with its people. The healthy
 * lists are those of the simulation in test/runs/guards; on some nights a part of the list is lost before it is sent.
 */

const SEED = 5
const NIGHTS = isLong ? 60 : 14
const KEYS = 2000
/** The nights that lose a part, and which part. */
const LOSSES: readonly (readonly [night: number, share: number])[] = [
  [9, 0.3],
  [13, 0.5],
  [18, 0.35],
  [24, 0.3],
  [29, 0.9],
  [41, 0.3],
  [55, 0.4],
]
const LOST = new Map(LOSSES.filter(([night]) => night < NIGHTS))

/** Each night is another activation, so that every night that is let through sends one request. */
const DOCUMENT = `version: 1
name: nights
inputs: { file: { type: file }, night: { type: integer } }
defaults: { await: { poll: { initial: 10ms, max: 20ms } } }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
${segmentStep('segments.ensure', 'nights', 'Nights')}  - id: match
    uses: matches.ensure
    with:
      segmentId: \${{ steps.segment.outputs.segmentId }}
      groupId: 9001
      deliveryScopes: [CABLE]
      shareSegmentName: false
      accessBgIds: false
    guard: { of: "\${{ outputs.matchCount }}", learn: { runs: 30, warmUp: 7 }, onBreach: approve }
  - id: activate
    uses: activations.create
    with:
      activationName: Night \${{ inputs.night }}
      segmentId: \${{ steps.segment.outputs.segmentId }}
      matchJobId: \${{ steps.match.outputs.matchJobId }}
      refreshRate: 0
      actionType: REQUEST
`

let bench: ExampleBench
let keys: readonly string[]
beforeAll(async () => {
  bench = await openExampleBench()
  const database = await openDatabase({ tempDir: join(bench.scratch, 'sample'), memoryLimit: '1GB' })
  const target = join(bench.scratch, 'all.csv')
  await database.session((session) =>
    writeSample(session, defaultNetwork, { signal: 'EMAIL', rows: 2 * KEYS, seed: SEED, target }),
  )
  await database.close()
  keys = readFileSync(target, 'utf8').trim().split('\n').slice(1)
  writeFileSync(join(bench.scratch, 'nights.yaml'), DOCUMENT)
})
afterAll(() => bench.close())

test('of all nights none that is healthy is held, each that lost 30 % or more is, and nothing is activated meanwhile', async () => {
  console.info(`seed ${SEED}`)
  const random = seededRandom(SEED)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const held = new Map<number, string>()
  for (let night = 0; night < NIGHTS; night += 1) {
    const healthy = KEYS * 1.001 ** night * weekly(0.05, night) * (1 + 0.02 * normal())
    const list = shuffled(keys, random).slice(0, Math.round(healthy * (1 - (LOST.get(night) ?? 0))))
    writeFileSync(join(bench.scratch, 'list.csv'), `email\n${list.join('\n')}\n`)
    const before = await activationRequests()
    const { status, events, error } = await hurried(() =>
      bench.run(join(bench.scratch, 'nights.yaml'), {
        given: ['file=list.csv', `night=${night}`],
        decide: async ({ error: asked }) => {
          held.set(night, asked.message)
          // Time passes at the service, and nothing comes.
          await bench.control('/clock/advance', { ms: 8 * 3_600_000 })
          expect(await activationRequests()).toBe(before)
          return 'rejected'
        },
      }),
    )
    expect(status, `night ${night}: ${error}`).toBe(LOST.has(night) ? 'failed' : 'succeeded')
    expect((await activationRequests()) - before).toBe(LOST.has(night) ? 0 : 1)
    if (night >= 7) expect(learnedFrom(events).length).toBeGreaterThanOrEqual(7)
  }
  expect([...held.keys()]).toEqual([...LOST.keys()])
  expect(held.get(9)).toMatch(
    /^[\d,]+ is outside of [\d,]+ to [\d,]+, the band around [\d,]+ that was learned from 9 good runs, /,
  )
})

/** Lets the service's clock run ahead while something goes on, so that no job takes longer than its work. */
async function hurried<T>(work: () => Promise<T>): Promise<T> {
  let isOver = false
  const pump = async () => {
    for (; !isOver; await sleep(10)) await bench.control('/clock/advance', { ms: 60_000 })
  }
  const pumping = pump()
  try {
    return await work()
  } finally {
    isOver = true
    await pumping
  }
}

async function activationRequests(): Promise<number> {
  const { requests } = JSON.parse(await bench.control('/requests?limit=10000')) as {
    requests: { method: string; path: string }[]
  }
  return requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/api/activations')).length
}

function learnedFrom(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.event === 'step.guarded' ? (event.learnedFrom ?? []) : []))
}

function shuffled(all: readonly string[], random: () => number): string[] {
  const list = [...all]
  for (let place = list.length - 1; place > 0; place -= 1) {
    const other = Math.floor(random() * (place + 1))
    ;[list[place], list[other]] = [list[other]!, list[place]!]
  }
  return list
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { weekly } from '../runs/guards/nights.ts'
import { seededRandom } from '../service/support/seeded-random.ts'
import { audience } from '../support/audience.ts'
import { isLong } from '../support/is-long.ts'
import { segmentStep } from '../support/segment-step.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * Rehearsed nights of a list: real files, and real matching with the people of the embedded service. The healthy lists
 * are those of the simulation in test/runs/guards; on some nights a part of the list is lost before it is sent.
 */

const SEED = 5
const NIGHTS = isLong ? 60 : 14
const KEYS = 2000
/** The nights on which a part is lost, and the lost part. */
const LOSSES: readonly (readonly [night: number, share: number])[] = [
  [9, 0.3],
  [13, 0.5],
  [18, 0.35],
  [24, 0.3],
  [29, 0.9],
  [41, 0.3],
  [55, 0.4],
]
const LOST = new Map(LOSSES)

/** Each night has a different activation, so each night that passes sends one request. */
const DOCUMENT = `version: 1
name: nights
inputs: { night: { type: integer } }
steps:
  - id: upload
    uses: files.upload
    with: { file: list.csv, uploadSignal: EMAIL, resultContent: BGID }
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

test('of all nights none that is healthy is held, each that lost 30 % or more is, and nothing is activated meanwhile', async () => {
  const random = seededRandom(SEED)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const nights = Array.from({ length: NIGHTS }, (_, night) => {
    const healthy = KEYS * 1.001 ** night * weekly(0.05, night) * (1 + 0.02 * normal())
    return nightOf(night, Math.round(healthy * (1 - (LOST.get(night) ?? 0))))
  })
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  writeFileSync(join(cwd, 'pipelines/nights.yaml'), DOCUMENT)
  writeFileSync(
    join(cwd, 'pipelines/nights.test.yaml'),
    `test: nights.yaml\ngiven: { from: 2026-10-20 }\ntests:\n  - it: lives through nights\n    do:\n${nights.join('')}`,
  )
  const { code, out } = await audience(['test'], { cwd })
  expect(out).toContain('1 test in 1 file: 1 passed, 0 failed')
  expect(code).toBe(0)
})

/** What happens in a night, and the requests to the service. Anything else would fail the test. */
function nightOf(night: number, people: number): string {
  const kept = night === 0 ? 'create' : 'refresh'
  const writes = `files.upload: 1, segments.${kept}: 1, matches.${kept}: 1`
  const run = `      - wait: 24h
      - change: { list.csv: { people: ${people}, seed: ${night} } }
        run: { inputs: { night: ${night} } }
`
  if (!LOST.has(night))
    return `${run}        expect: { status: succeeded, writes: { ${writes}, activations.create: 1 } }\n`
  return `${run}        expect: { held: match, writes: { ${writes} } }
      - wait: 8h
        expect: { held: match, writes: {} }
      - reject: match
        expect: { status: failed, error: { step: match }, writes: {} }
`
}

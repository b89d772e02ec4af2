import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tries } from '../support/tries.ts'
import { useTurnClock } from '../support/turn-clock.ts'
import { placeOf } from './files.ts'
import { type Bench, openBench } from './nights.ts'
import type { LossKind, Ways } from './ways.ts'
import { existing } from './whose.ts'

useTurnClock()

/*
 * A list also has the segments that partners share (decision 52), and their identifiers may equal ours. Steps must
 * never take theirs.
 */

type Uses = 'segments.create' | 'segments.ensure'

/** A document with one step. Its file exists already. */
function documentOf(uses: Uses, more = ''): string {
  return `version: 1
name: p
inputs: { file: { type: string, default: x } }
steps:
  - id: it
    uses: ${uses}
    with:
      segmentFileName: ours.csv
      participantSegmentId: travel
      segmentName: Travel
      uploadSignal: EMAIL
      resultContent: HASHED
${more}outputs:
  out: \${{ steps.it.outputs }}
`
}

interface Shared {
  readonly segmentName: string
  readonly segmentFileName: string | undefined
}

async function open(ways: Partial<Ways> = {}) {
  const bench = await openBench(ways)
  bench.service.holdings.files.set(placeOf('EMAIL', 'HASHED', 'ours.csv'), new Set(['a']))
  const share = ({ segmentName, segmentFileName }: Shared) =>
    existing(bench).partnersSegment({
      ...{
        segmentName,
        segmentFileName,
        participantSegmentId: 'travel',
        uploadSignal: 'EMAIL',
        resultContent: 'HASHED',
      },
    })
  return { bench, share }
}

function own({ service: { holdings } }: Bench) {
  return holdings.segments.filter(({ isPartners }) => !isPartners).map(({ id }) => id)
}

const THEIRS: Shared = { segmentName: 'Travel', segmentFileName: undefined }

test.each<LossKind>(['resetBefore', 'errorBefore', 'resetAfter'])(
  'a create whose answer was lost (%s) does not take the one that a partner shares meanwhile',
  async (how) => {
    const { bench, share } = await open()
    await using _ = bench
    // The list before the request does not contain it.
    bench.service.afterNext('segments.list', () => void share(THEIRS))
    bench.service.lose({ operation: 'segments.create', how })
    const night = await bench.run(documentOf('segments.create'))
    expect(night.state).toBe('succeeded')
    expect(own(bench)).toEqual([(night.outputs.out as { segmentId: string }).segmentId])
  },
)

test('an ensure step makes its own beside one that a partner shares, and finds it again', async () => {
  const { bench, share } = await open()
  await using _ = bench
  share(THEIRS)
  const first = await bench.run(documentOf('segments.ensure'))
  expect(first).toMatchObject({ state: 'succeeded', outputs: { out: { action: 'created', segmentId: own(bench)[0] } } })
  bench.forget()
  const second = await bench.run(documentOf('segments.ensure'))
  expect(second).toMatchObject({
    state: 'succeeded',
    outputs: { out: { action: 'unchanged', segmentId: own(bench)[0] } },
  })
})

test('one that can be read but not changed may be another’s, and the error says so', async () => {
  const { bench, share } = await open({ partnersRead: true })
  await using _ = bench
  const id = share({ ...THEIRS, segmentFileName: 'theirs.csv' })
  const night = await bench.run(documentOf('segments.ensure'))
  expect(night).toMatchObject({
    state: 'segment-not-changeable',
    message: expect.stringContaining(`segment ${id}`),
    hint: expect.stringContaining('belongs to another participant who shares it with you'),
  })
  expect(own(bench)).toEqual([])
})

test('ours, which this state made, is found beside a readable one of a partner', async () => {
  const { bench, share } = await open({ partnersRead: true })
  await using _ = bench
  await bench.run(documentOf('segments.create'))
  share({ ...THEIRS, segmentFileName: 'theirs.csv' })
  const night = await bench.run(documentOf('segments.ensure'))
  expect(night).toMatchObject({ state: 'succeeded', outputs: { out: { segmentId: own(bench)[0] } } })
})

const anyWays: fc.Arbitrary<Partial<Ways>> = fc.record({
  partnersRead: fc.boolean(),
  filters: fc.constantFrom('kept', 'ignored'),
  order: fc.constantFrom('oldest', 'newest'),
  unnamedReads: fc.constantFrom(0, 2),
  notGiven: fc.constantFrom('null', 'empty', 'absent'),
  duplicate: fc.constantFrom({ status: 400, body: '' }, { status: 409, body: '<p>' }),
})

const HIDDEN: Shared = { segmentName: '', segmentFileName: undefined }
const OTHER_FILE: Shared = { segmentName: 'Travel', segmentFileName: 'theirs.csv' }

const anyStep = fc.record({
  uses: fc.constantFrom<Uses[]>('segments.create', 'segments.ensure'),
  loss: fc.option(fc.constantFrom<LossKind[]>('resetBefore', 'resetAfter', 'errorAfter'), { nil: undefined }),
  shares: fc.constantFrom('no', 'before', 'during'),
  forgets: fc.boolean(),
})

test('whatever partners share, at whatever time, and whichever answers are lost: a step that succeeds has its own segment, and there is only one', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyWays,
      fc.boolean(),
      fc.array(anyStep, { minLength: 1, maxLength: 3 }),
      async (ways, isHidden, steps) => {
        const { bench, share } = await open(ways)
        // If it can be read, its name or file shows that it is not ours.
        const shared = isHidden ? HIDDEN : ways.partnersRead ? OTHER_FILE : THEIRS
        await using _ = bench
        for (const { uses, loss, shares, forgets } of steps) {
          if (forgets) bench.forget()
          if (shares === 'before') share(shared)
          if (shares === 'during') bench.service.afterNext('segments.list', () => void share(shared))
          if (loss) bench.service.lose({ operation: 'segments.create', how: loss })
          const night = await bench.run(documentOf(uses))
          bench.service.forgive()
          expect(own(bench).length).toBeLessThanOrEqual(1)
          if (night.state !== 'succeeded') {
            // The person who is asked gives up the step, so nobody waits for its claim.
            await bench.audience(['runs', 'cancel', night.runId])
            const isClear = isHidden || !ways.partnersRead
            expect(isClear && uses === 'segments.ensure' && loss === undefined).toBe(false)
            continue
          }
          expect(own(bench)).toEqual([(night.outputs.out as { segmentId: string }).segmentId])
        }
      },
    ),
    { numRuns: tries(15, 500) },
  )
})

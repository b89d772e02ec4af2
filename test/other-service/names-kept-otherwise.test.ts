import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Form, inForm } from './forms.ts'
import { openBench } from './nights.ts'
import { existing } from './whose.ts'

useTurnClock()

interface Names {
  readonly identifier?: string
  readonly segment?: string
  readonly activation?: string
  readonly campaign?: string
}

const document = ({ identifier = 'autos', segment = 'Autos', activation = 'Autos', campaign = 'Q4' }: Names) =>
  `version: 1
name: p
inputs: { file: { type: file } }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
  - id: segment
    uses: segments.ensure
    await: { timeout: 60s }
    with: { segmentFileName: "\${{ steps.upload.outputs.name }}", participantSegmentId: "${identifier}", segmentName: "${segment}", uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }
  - id: match
    uses: matches.ensure
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", groupId: 9001, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false }
  - id: activate
    uses: activations.ensure
    with: { activationName: "${activation}", campaignName: "${campaign}", segmentId: "\${{ steps.segment.outputs.segmentId }}", matchJobId: "\${{ steps.match.outputs.matchJobId }}", refreshRate: 30, actionType: REQUEST }
outputs: { segment: "\${{ steps.segment.outputs.action }}", match: "\${{ steps.match.outputs.action }}", activation: "\${{ steps.activate.outputs.action }}" }
`

const ONE_EACH = { segments: 1, matches: 1, activations: 1 }
const CREATED = { segment: 'created', match: 'created', activation: 'created' }
const UNCHANGED = { segment: 'unchanged', match: 'unchanged', activation: 'unchanged' }

const FORMS: readonly (readonly [Form, string])[] = [
  ['trimmed', ' Autos '],
  ['collapsed', 'Auto  buyers'],
  ['lowerCase', 'Autos'],
  ['NFC', 'Ka\u0308ufer'],
  ['NFD', 'K\u00e4ufer'],
]

test.each(FORMS)('what a step made under a name that the service keeps %s stays its own', async (form, name) => {
  await using bench = await openBench({ keeps: { segments: form, activations: form } })
  const text = document({ identifier: name, segment: name, activation: name, campaign: name })
  for (const outputs of [CREATED, UNCHANGED, UNCHANGED]) {
    const night = await bench.run(text)
    expect([night.message, night.outputs]).toEqual(['', outputs])
  }
  expect(bench.counts()).toEqual(ONE_EACH)
})

test.each(['create', 'ensure'])(
  'an activation under another form of its name, whose answer to %s was lost',
  async (does) => {
    await using bench = await openBench({ keeps: { segments: 'asSent', activations: 'lowerCase' } })
    const text = document({}).replace('activations.ensure', `activations.${does}`)
    bench.service.lose({ operation: 'activations.create', how: 'resetAfter' })
    const night = await bench.run(text.replace(/^outputs: .*$/m, ''))
    expect([night.state, night.message]).toEqual(['outcome-unknown', expect.stringContaining('its name is "autos"')])
    const end = await bench.resume(night.runId, ['--step', 'activate', '--done'])
    expect([end.message, bench.counts().activations]).toEqual(['', 1])
  },
)

test('an activation with a campaign in another form is found after a lost answer, and without a memory', async () => {
  await using bench = await openBench({ keeps: { segments: 'asSent', activations: 'trimmed' } })
  const text = document({ campaign: ' Q4 ' })
  bench.service.lose({ operation: 'activations.create', how: 'resetAfter' })
  for (const activation of ['created', 'unchanged']) {
    const night = await bench.run(text)
    expect([night.message, night.outputs.activation]).toEqual(['', activation])
    bench.forget()
  }
  expect(bench.counts().activations).toBe(1)
})

describe.each(['create', 'ensure'] as const)('a segment whose answer to %s was lost', (does) => {
  const text = (name: string) =>
    document({ identifier: name, segment: name })
      .replace('segments.ensure', `segments.${does}`)
      .replace(/^outputs: .*$/m, '')

  test.each(FORMS.map((form, index) => [...form, index % 2 === 0 ? 'asSent' : 'kept'] as const))(
    'is found if the service keeps its identifier %s (%s), and filters by it %s',
    async (form, name, filterForm) => {
      await using bench = await openBench({ keeps: { segments: form, activations: 'asSent' }, filterForm })
      bench.service.lose({ operation: 'segments.create', how: 'resetAfter' })
      let night = await bench.run(text(name))
      if (does === 'create') {
        const [kept] = bench.service.holdings.segments
        expect([night.state, night.message]).toEqual([
          'outcome-unknown',
          expect.stringContaining(`segment ${kept?.id} has ${JSON.stringify(inForm(name, form))}`),
        ])
        night = await bench.resume(night.runId, ['--step', 'segment', '--done'])
      }
      expect([night.message, bench.counts()]).toEqual(['', ONE_EACH])
      if (does === 'ensure')
        expect((await bench.run(document({ identifier: name, segment: name }))).outputs).toEqual(UNCHANGED)
    },
  )

  test('is a question if another segment has a like identifier', async () => {
    await using bench = await openBench({ keeps: { segments: 'lowerCase', activations: 'asSent' } })
    const id = existing(bench).segment('autos')
    bench.service.lose({ operation: 'segments.create', how: 'resetBefore' })
    const night = await bench.run(text('Autos'))
    expect([night.state, night.message]).toEqual([
      'outcome-unknown',
      expect.stringContaining(`segment ${id} has "autos"`),
    ])
  })
})

test.each(['create', 'ensure'])(
  'a match that shows an old name of its segment, whose answer to %s was lost',
  async (does) => {
    await using bench = await openBench({ matchNames: 'stale' })
    const text = document({}).replace('matches.ensure', `matches.${does}`)
    const upToSegment = document({ segment: 'Old' }).replace(/ {2}- id: match.*/s, '')
    expect((await bench.run(upToSegment)).message).toBe('')
    bench.service.lose({ operation: 'matches.create', how: 'resetAfter' })
    expect((await bench.run(text.replace(/^outputs: .*$/m, ''))).message).toBe('')
    expect(bench.counts()).toEqual(ONE_EACH)
  },
)

import { expect, test } from 'vitest'
import type { Fields } from './holdings.ts'
import { openBench } from './nights.ts'
import { useTurnClock } from './turn-clock.ts'

useTurnClock()

const document = (name: string) => `version: 1
name: p
inputs: { file: { type: file } }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
  - id: segment
    uses: segments.ensure
    with: { segmentFileName: "\${{ steps.upload.outputs.name }}", participantSegmentId: "${name}", segmentName: Autos, uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }
  - id: match
    uses: matches.ensure
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", groupId: 9001, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false }
  - id: activate
    uses: activations.ensure
    with: { activationName: "${name}", segmentId: "\${{ steps.segment.outputs.segmentId }}", matchJobId: "\${{ steps.match.outputs.matchJobId }}", refreshRate: 30, actionType: REQUEST }
outputs: { segment: "\${{ steps.segment.outputs.action }}", activation: "\${{ steps.activate.outputs.action }}" }
`

test.each<[string, string, (name: string) => string]>([
  ['without blanks at its ends', ' Autos ', (name) => name.trim()],
  ['with single blanks', 'Auto  buyers', (name) => name.replace(/ +/g, ' ')],
  ['in small letters', 'Autos', (name) => name.toLowerCase()],
  ['with composed letters', 'Ka\u0308ufer', (name) => name.normalize('NFC')],
])('what a step made under a name that the service keeps %s stays its own', async (_, name, kept) => {
  await using bench = await openBench()
  const { holdings } = bench.service
  const keep = (fields: Fields, field: string) => Object.assign(fields, { [field]: kept(String(fields[field])) })
  bench.service.afterNext('segments.create', () => {
    for (const { fields } of holdings.segments) keep(fields, 'participantSegmentId')
  })
  bench.service.afterNext('activations.create', () => {
    for (const { request } of holdings.activations) keep(request, 'activationName')
  })
  for (const action of ['created', 'unchanged']) {
    const night = await bench.run(document(name))
    expect([night.message, night.outputs]).toEqual(['', { segment: action, activation: action }])
  }
  expect(bench.counts()).toEqual({ segments: 1, matches: 1, activations: 1 })
})

test.each(['create', 'ensure'])(
  'an activation under another form of its name, whose answer to %s was lost',
  async (does) => {
    await using bench = await openBench()
    const text = document('Autos').replace('activations.ensure', `activations.${does}`)
    bench.service.lose({ operation: 'activations.create', how: 'resetAfter' })
    bench.service.afterNext('activations.create', () => {
      for (const { request } of bench.service.holdings.activations) Object.assign(request, { activationName: 'autos' })
    })
    const night = await bench.run(text.replace(/^outputs: .*$/m, ''))
    expect([night.state, night.message]).toEqual(['outcome-unknown', expect.stringContaining('its name is "autos"')])
    const end = await bench.resume(night.runId, ['--step', 'activate', '--done'])
    expect([end.message, bench.counts().activations]).toEqual(['', 1])
  },
)

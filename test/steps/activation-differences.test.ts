import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { activationDifferences, activationField, sentOf } from '../../src/steps/activation-differences.ts'

const INPUT = {
  ...{ activationName: 'Autos', segmentId: 's', matchJobId: 'm' },
  ...({
    refreshRate: 30,
    actionType: 'REQUEST',
    agency: 'A',
    campaignName: '',
    campaignStartDate: '2026-01-31T10:00:00Z',
  } as const),
}
const SENT = { refreshRate: 30, actionType: 'REQUEST', agency: 'A', campaignStartDate: '2026-01-31T10:00:00Z' }
const SHOWN = { ActivationId: '1', ActivationName: 'Autos', Status: 'Activated' as const, agency: 'B', campaign: null }

test('the fields that were given are remembered, and an empty one is not', () => {
  expect(sentOf(INPUT)).toEqual(SENT)
})

test.each<[string, JsonObject, string[]]>([
  ['is as it was sent', {}, []],
  ['has another rate and agency', { refreshRate: 7, agency: 'C' }, ['refreshRate', 'agency']],
  ['has an empty brand', { brand: '' }, []],
  ['has a brand by now', { brand: 'B' }, ['brand']],
  ['begins at the same time in another spelling', { campaignStartDate: '2026-01-31T11:00:00+01:00' }, []],
  ['begins a second later', { campaignStartDate: '2026-01-31T10:00:01Z' }, ['campaignStartDate']],
  ['ends at a time by now', { campaignEndDate: '2026-02-28T10:00:00Z' }, ['campaignEndDate']],
])('a step that %s', (_, own, fields) => {
  expect(activationDifferences(SHOWN, { ...INPUT, ...own }, SENT)).toEqual(fields)
})

test('a text that is no date is compared as it is', () => {
  const of = (campaignStartDate: string) => ({ ...INPUT, campaignStartDate })
  expect(activationDifferences(SHOWN, of('soon'), { ...SENT, campaignStartDate: 'soon' })).toEqual([])
  expect(activationDifferences(SHOWN, of('soon'), { ...SENT, campaignStartDate: 'later' })).toEqual([
    'campaignStartDate',
  ])
})

test('two texts of the same time are two names', () => {
  const sent = { ...SENT, agency: '2026-01-31T10:00:00Z' }
  expect(activationDifferences(SHOWN, { ...INPUT, agency: '2026-01-31T10:00:00.000Z' }, sent)).toEqual(['agency'])
})

test.each([undefined, {}])('where nothing is remembered (%j), what the service shows counts', (sent) => {
  expect(activationDifferences(SHOWN, INPUT, sent)).toEqual(['agency'])
  expect(activationField(SHOWN, sent, 'agency')).toBe('B')
  expect(activationField(SHOWN, sent, 'refreshRate')).toBeUndefined()
  expect(activationField(undefined, sent, 'agency')).toBeUndefined()
})

test.each<[string, Json]>([
  ['agency', 'A'],
  ['refreshRate', 30],
  ['brand', null],
])('the field %s is as it was sent, whatever the service shows', (field, is) => {
  expect(activationField(SHOWN, SENT, field)).toBe(is)
  expect(activationField(undefined, SENT, field)).toBe(is)
})

import { expect, test } from 'vitest'
import { unansweredRequest } from '../../src/console/server/run-facts.ts'
import type { Json } from '../../src/core/json.ts'
import type { StoredRecord } from '../../src/core/run.ts'

const AT = Date.parse('2026-11-22T10:00:00Z')

function records(...effects: readonly (readonly [step: string, name: string, value: Json])[]): StoredRecord[] {
  return effects.map(([step, name, value], seq) => ({
    ...{ seq, at: AT + seq * 1000 },
    record: { type: 'effect.done', step, attempt: 1, name, value },
  }))
}

const create = (name: string) => ({
  operation: 'segments.create',
  input: {
    segmentName: name,
    participantSegmentId: 'p1',
    segmentFileName: 'a.csv',
    uploadSignal: 'EMAIL',
    resultContent: 'BGID',
  },
  before: {},
})

test('the request is the one that was announced last for the step, as the service gets it', () => {
  const known = records(
    ['seg', 'intent', create('old')],
    ['seg', 'answer', {}],
    ['seg', 'intent', create('new')],
    ['seg', 'looked', create('another effect')],
    ['other', 'intent', create('of another step')],
  )
  known.push({ seq: known.length, at: AT, record: { type: 'step.started', step: 'seg', attempt: 2 } })
  const { body, ...request } = unansweredRequest(known, { step: 'seg' }) ?? {}
  expect(request).toEqual({
    ...{ operation: 'segments.create', at: '2026-11-22T10:00:02.000Z', method: 'POST', path: '/api/segments' },
  })
  expect(JSON.parse(body ?? '')).toMatchObject({ segmentName: 'new', participantSegmentId: 'p1' })
  expect(unansweredRequest(known, { step: 'none' })).toBeUndefined()
})

test('ids stay to the last digit, in path and body, and personal data do not', () => {
  const input = { matchId: '9007199254740993' }
  const refresh = unansweredRequest(records(['match', 'refresh.intent', { operation: 'matches.refresh', input }]), {
    step: 'match',
  })
  expect(refresh).toMatchObject({ method: 'POST', path: '/api/segments/match/refresh/9007199254740993' })
  const masked = unansweredRequest(records(['seg', 'intent', create('for ana@example.com at 10.1.2.3')]), {
    step: 'seg',
  })
  expect(masked?.body).toContain('for [e-mail] at [ip]')
  expect(masked?.body).not.toContain('ana@')
})

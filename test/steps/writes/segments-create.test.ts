import { describe, expect, test } from 'vitest'
import type { Job } from '../../../src/contract/job.ts'
import type { MadeThing } from '../../../src/state/made-things.ts'
import { segmentsCreateReconciler } from '../../../src/steps/writes/segments-create.ts'
import { madeThing } from '../support/made-thing.ts'
import { stillService } from '../support/still-service.ts'

const REQUEST = {
  ...{ participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv' },
  ...({ uploadSignal: 'EMAIL', resultContent: 'BGID' } as const),
}
const segment = (id: string, own: object = {}) => ({ id, segmentName: 'Autos', participantSegmentId: 'autos', ...own })

/** A service that lists these segments. Those with a name can also be read. */
function serviceOf(segments: readonly ReturnType<typeof segment>[], jobs: readonly Job[] = []) {
  const named = segments.filter(({ segmentName }) => segmentName !== '')
  const byId = Object.fromEntries(named.map((one) => [one.id, one]))
  return stillService({ segments: byId, jobs, listed: { 'segments.list': segments } })
}

describe('a refusal of a segment whose first answer was lost', () => {
  test.each([
    ['is final if the identifier was taken', [segment('1')], { ids: ['1'], isTaken: true }, 'final'],
    [
      'is not if only another participant’s segment has it',
      [segment('1', { segmentName: '' })],
      { ids: ['1'], isTaken: false },
      'lookAndSendAgain',
    ],
    ['is not if none had it', [], { ids: [], isTaken: false }, 'lookAndSendAgain'],
  ])('%s', async (_, listed, before, meaning) => {
    expect(await segmentsCreateReconciler.before(REQUEST, serviceOf(listed))).toEqual(before)
    expect(segmentsCreateReconciler.refusal(before)).toBe(meaning)
  })

  test('is final if an older version noted only that segments had it', () => {
    expect(segmentsCreateReconciler.refusal({ ids: ['1'] })).toBe('final')
  })
})

const made = (own: Partial<MadeThing>) => madeThing({ kind: 'segment', name: 'autos', ...own })
const NEW = { state: 'done', answer: { segmentId: '1' } }
const THEIRS = {
  state: 'ambiguous',
  why: 'step "theirs" of run their run has also asked for a segment with this identifier',
}

describe('a new segment whose answer was lost', () => {
  test.each<[string, Partial<MadeThing> | undefined, readonly Job[], object]>([
    ['that nobody else asked for', undefined, [], NEW],
    ['that this request made', { request: 'own', id: '1' }, [], NEW],
    ['that a step found, for an entry without a request is nobody’s', { id: '1', found: true }, [], NEW],
    ['that another request made', { request: 'other', id: '1' }, [], THEIRS],
    ['that another request may have made', { request: 'other' }, [], THEIRS],
    [
      'that the job of another request may be making',
      { request: 'other', job: 'j' },
      [{ id: 'j', status: 'RUNNING' }],
      THEIRS,
    ],
    ['that a failed job did not make', { request: 'other', job: 'j' }, [{ id: 'j', status: 'FAILED' }], NEW],
  ])('%s', async (_, entry, jobs, finding) => {
    const service = serviceOf([segment('1')], jobs)
    await service.made.note(made({ request: 'own' }))
    if (entry) await service.made.note(made(entry))
    const lost = { request: REQUEST, before: { ids: [] }, confirmed: false, key: 'own' }
    expect(await segmentsCreateReconciler.look(lost, service)).toEqual(finding)
    // A person's answer overrides this, and an ensure step uses the segment whoever made it.
    expect(await segmentsCreateReconciler.look({ ...lost, confirmed: true }, service)).toEqual(NEW)
    expect(await segmentsCreateReconciler.look({ ...lost, takesOthers: true }, service)).toEqual(NEW)
  })

  test.each([
    ['was there before', { ids: ['1'] }, {}, { state: 'notVisible' }],
    [
      'has another name and file',
      { ids: [] },
      { segmentName: 'B', segmentFileName: 'b.csv' },
      'segmentName and segmentFileName',
    ],
    ['has another signal', { ids: [] }, { uploadSignal: 'IP' }, 'uploadSignal'],
    ['holds something else', { ids: [] }, { resultContent: 'SIGNAL' }, 'resultContent'],
  ])('that %s is not its', async (_, before, own, expected) => {
    const lost = { request: REQUEST, before, confirmed: false, key: 'own' }
    const finding = await segmentsCreateReconciler.look(lost, serviceOf([segment('1', own)]))
    const why = `segment 1 has it, but with a different ${expected}`
    expect(finding).toEqual(typeof expected === 'string' ? { state: 'ambiguous', why } : expected)
  })

  test('is looked for by its identifier, and several are counted', async () => {
    expect(segmentsCreateReconciler.lookedFor(REQUEST)).toBe('a segment with participantSegmentId "autos"')
    const lost = { request: REQUEST, before: { ids: [] }, confirmed: false }
    const three = ['1', '2', '3'].map((id) => segment(id))
    expect(await segmentsCreateReconciler.look(lost, serviceOf(three))).toEqual({
      state: 'ambiguous',
      why: 'there are 3 of them',
    })
  })

  test.each<[string, readonly ReturnType<typeof segment>[], object, object]>([
    ['that shows late is found by the last look, too', [segment('1')], {}, NEW],
    ['that was there before is not found by it', [segment('1')], { before: { ids: ['1'] } }, { state: 'notVisible' }],
    ['does not show there either', [], {}, { state: 'notVisible' }],
    [
      'may be one with a like identifier',
      [segment('1', { participantSegmentId: 'AUTOS' })],
      {},
      {
        state: 'ambiguous',
        why: 'no segment has exactly this identifier, but segment 1 has "AUTOS"; some services keep identifiers in their own form',
      },
    ],
    ['is that one, as a person says', [segment('1', { participantSegmentId: 'AUTOS' })], { confirmed: true }, NEW],
  ])('%s', async (_, listed, own, finding) => {
    const lost = { request: REQUEST, before: { ids: [] }, confirmed: false, key: 'own', ...own }
    expect(await segmentsCreateReconciler.lookWider?.(lost, serviceOf(listed))).toEqual(finding)
  })
})

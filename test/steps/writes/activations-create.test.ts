import { describe, expect, test } from 'vitest'
import type { Activation } from '../../../src/contract/activations.ts'
import type { MadeThing } from '../../../src/state/made-things.ts'
import { activationsCreateReconciler } from '../../../src/steps/writes/activations-create.ts'
import { madeThing } from '../support/made-thing.ts'
import { stillService } from '../support/still-service.ts'

const REQUEST = {
  ...{ activationName: 'Autos', segmentId: 's', matchJobId: 'm', agency: 'A' },
  ...({ refreshRate: 30, actionType: 'REQUEST' } as const),
}
const activation = (ActivationId: string, own: object = {}): Activation => ({
  ...{ ActivationId, ActivationName: 'Autos', Status: 'Activated', agency: 'A' },
  ...own,
})
const serviceOf = (...listed: readonly Activation[]) => stillService({ listed: { 'activations.list': listed } })
const LOST = { request: REQUEST, before: { ids: ['1'] }, confirmed: false, key: 'own' }
const DONE = { state: 'done', answer: { activationId: '2' } }

test('before it is sent, the activations are noted that may be mistaken for it', async () => {
  const others = [
    activation('3', { ActivationName: 'Bikes' }),
    activation('4', { myRole: 'Approver' }),
    activation('5', { agency: 'B' }),
  ]
  const like = [activation('1'), activation('2', { ActivationName: ' autos ' }), ...others]
  expect(await activationsCreateReconciler.before(REQUEST, serviceOf(...like))).toEqual({ ids: ['1', '2'] })
  expect(activationsCreateReconciler.lookedFor(REQUEST)).toBe('a new activation named "Autos"')
})

describe('an activation whose answer was lost', () => {
  test.each<[string, readonly Activation[], object]>([
    ['does not show', [activation('1')], { state: 'notVisible' }],
    ['shows', [activation('1'), activation('2')], DONE],
    ['shows, beside a new one of a like name', [activation('2'), activation('3', { ActivationName: 'AUTOS' })], DONE],
    ['shows without its agency', [activation('2', { agency: undefined })].map(({ agency: _, ...one }) => one), DONE],
    [
      'shows a like name',
      [activation('1'), activation('2', { ActivationName: 'AUTOS' })],
      { state: 'ambiguous', why: 'activation 2 is new, and its name is "AUTOS"' },
    ],
    [
      'is of a like name, and was there before',
      [activation('1', { ActivationName: 'AUTOS' })],
      { state: 'notVisible' },
    ],
    [
      'may be one of three',
      [activation('1'), activation('2'), activation('3'), activation('4')],
      { state: 'ambiguous', why: 'there are 3 of them: 2, 3, 4' },
    ],
  ])('%s', async (_, listed, finding) => {
    expect(await activationsCreateReconciler.look(LOST, serviceOf(...listed))).toEqual(finding)
  })

  test('is, if a person says so, the newest: a new one of the name, of a like name, or an old one', async () => {
    const said = async (...listed: readonly Activation[]) =>
      activationsCreateReconciler.look({ ...LOST, confirmed: true }, serviceOf(...listed))
    const like = (id: string) => activation(id, { ActivationName: 'AUTOS' })
    expect(await said(activation('1'), activation('2'), like('3'))).toEqual(DONE)
    expect(await said(like('3'), like('2'))).toEqual(DONE)
    expect(await said(activation('1'))).toEqual({ state: 'done', answer: { activationId: '1' } })
    expect(await said(like('1'))).toEqual({ state: 'notVisible' })
  })

  test.each<[string, Partial<MadeThing>, object]>([
    ['another request made it', { request: 'other', id: '2' }, { state: 'notVisible' }],
    ['this request made it', { request: 'own', id: '2' }, DONE],
    ['another step found it', { id: '2', found: true }, DONE],
    [
      'another step found it, for another segment',
      { id: '2', found: true, about: { segmentId: 't' } },
      { state: 'notVisible' },
    ],
    ['another request may have made it', { request: 'other' }, { state: 'ambiguous' }],
  ])('%s', async (_, entry, finding) => {
    const service = serviceOf(activation('2'))
    await service.made.note(madeThing({ kind: 'activation', name: 'Autos', about: { segmentId: 's' }, ...entry }))
    expect(await activationsCreateReconciler.look(LOST, service)).toMatchObject(finding)
  })
})

import { describe, expect, test } from 'vitest'
import type { MadeThing } from '../../src/state/made-things.ts'
import type { ActivationMemory } from '../../src/steps/activation-memory.ts'
import { type ActivationSight, type Candidate, decideActivation } from '../../src/steps/decide-activation.ts'
import { madeThing } from './support/made-thing.ts'

const one = (activationId: string, own: Partial<Candidate> = {}): Candidate => ({
  ...{ activationId, differs: [], isProven: false, maker: undefined, shows: 'status Activated' },
  ...own,
})
const proven = (id: string, own: Partial<Candidate> = {}) => one(id, { isProven: true, ...own })
const maker = (own: Partial<MadeThing>) => madeThing({ kind: 'activation', name: 'X', ...own })
const NOTHING: ActivationSight = {
  ...{ memory: undefined, own: undefined, listed: [], changed: [], decision: undefined },
  ...{ underWay: undefined, doubt: undefined, hidden: undefined },
}
const decide = (sight: Partial<ActivationSight>, onChange: 'fail' | 'keep' | 'replace' = 'fail') =>
  decideActivation({ ...NOTHING, ...sight }, onChange)
const leave = (activationId: string) => ({ state: 'leave', activationId, changed: [] })
const create = { state: 'create', changed: [] }
const underWay = (isWanted: boolean) => ({ jobId: '5', isWanted })
const UNKNOWN = 'status Activated, maker unknown'

describe('a request that got no answer', () => {
  const memory: ActivationMemory = {
    ...{ segmentId: 's', matchId: '1', sent: {} },
    ...{ state: 'sending', runId: 'r', before: ['7'], jobId: '9' },
  }
  const asked = (seen: string) => ({
    ...{ state: 'ambiguous', sentBy: { runId: 'r' }, jobId: '9' },
    why: `${seen}, and run r never learned whether it had made one`,
  })
  const NEW = `there is a new one with this name, activation 8 (${UNKNOWN})`

  test.each<[string, Partial<ActivationSight>, object]>([
    ['shows', { listed: [one('7'), one('8')] }, leave('8')],
    ['does not show', { listed: [one('7')] }, asked('it is not there (yet)')],
    ['does not show, and a person says that it was made', { decision: 'done' }, asked('it is not there (yet)')],
    ['may be one that another step found', { listed: [one('8', { maker: maker({ found: true }) })] }, leave('8')],
    ['may be one of its own run', { listed: [one('8', { maker: maker({ runId: 'r' }) })] }, leave('8')],
    [
      'is not one that another run made',
      { listed: [one('8', { maker: maker({ runId: 'q' }) })] },
      asked('it is not there (yet)'),
    ],
    ['may be one that a job makes', { listed: [one('8')], underWay: underWay(false) }, { state: 'busy', jobId: '5' }],
    ['is proven, whatever a job makes', { listed: [proven('8')], underWay: underWay(false) }, leave('8')],
    ['may be one of another target', { listed: [one('8')], doubt: 'x' }, asked(NEW)],
    ['is proven, whatever else there may be', { listed: [proven('8')], doubt: 'x' }, leave('8')],
    [
      'is one of two',
      { listed: [proven('8'), proven('9')] },
      asked(
        'there are 2 new ones with this name, activation 8 (status Activated, maker unknown); activation 9 (status Activated, maker unknown)',
      ),
    ],
    [
      'is, as a person says, the newest, whatever a job makes',
      { listed: [one('8'), one('9')], decision: 'done', underWay: underWay(false), doubt: 'x' },
      leave('9'),
    ],
    [
      'differs',
      { listed: [one('8', { differs: ['brand'] })] },
      { state: 'conflict', activationId: '8', fields: ['brand'], isOwn: true },
    ],
  ])('%s', (_, sight, plan) => {
    expect(decide({ memory, ...sight })).toEqual(plan)
  })

  test('may be replaced when it shows and differs, because the step made it', () => {
    const listed = [one('8', { differs: ['brand'] })]
    const replace = { state: 'replace', activationId: '8', changed: ['brand'] }
    expect(decide({ memory, listed }, 'replace')).toEqual(replace)
    expect(decide({ memory, listed, decision: 'done' }, 'replace')).toEqual(replace)
  })
})

describe('where nothing is remembered, and the list', () => {
  const undecided = (activationId: string, what: string, doubt = '') => ({
    ...{ state: 'undecided', activationId },
    why: `nothing proves which of these belongs to the wanted segment and match${doubt}: ${what}`,
  })
  const other = { maker: maker({ runId: 'q' }) }

  test.each<[string, Partial<ActivationSight>, object]>([
    ['shows none', {}, create],
    ['shows none, and there was one of another segment', { changed: ['segment'] }, { ...create, changed: ['segment'] }],
    ['shows none, and it may be there', { hidden: 'why' }, { state: 'undecided', why: 'why' }],
    ['shows none, and a person looks again', { hidden: 'why', decision: 'done' }, { state: 'undecided', why: 'why' }],
    ['shows none, and a person wants another', { hidden: 'why', decision: 'again' }, create],
    ['shows one, and another may be there', { listed: [one('3')], hidden: 'why' }, leave('3')],
    ['shows none, and it is being made', { underWay: underWay(true) }, { state: 'wait', jobId: '5' }],
    [
      'shows one, and it is being made',
      { listed: [one('3')], underWay: underWay(true) },
      { state: 'wait', jobId: '5' },
    ],
    ['shows the proven one, and it is being made', { listed: [proven('3')], underWay: underWay(true) }, leave('3')],
    ['shows one that is being made', { listed: [one('3')], underWay: underWay(false) }, { state: 'busy', jobId: '5' }],
    [
      'shows one that is being made, and a person takes it',
      { listed: [one('3')], underWay: underWay(false), decision: 'done' },
      leave('3'),
    ],
    ['shows one, and a person wants another', { listed: [one('3')], decision: 'again' }, create],
    ['shows a proven one, and a person wants another', { listed: [proven('3')], decision: 'again' }, leave('3')],
    [
      'shows one of a known maker',
      { listed: [one('3', other)] },
      undecided('3', 'activation 3 (status Activated, made by step "theirs" of pipeline "other", run q)'),
    ],
    ['shows one in doubt', { listed: [one('3')], doubt: 'x' }, undecided('3', `activation 3 (${UNKNOWN})`, ' (x)')],
    ['shows a proven one in doubt', { listed: [proven('3')], doubt: 'x' }, leave('3')],
    [
      'shows two',
      { listed: [one('3'), one('4')] },
      undecided('4', `activation 3 (${UNKNOWN}); activation 4 (${UNKNOWN})`),
    ],
    [
      'shows two, of which the older fits',
      { listed: [one('3'), one('4', { differs: ['brand'] })] },
      undecided('3', `activation 3 (${UNKNOWN}); activation 4 (${UNKNOWN})`),
    ],
    ['shows two, and a person takes one', { listed: [one('3'), one('4')], decision: 'done' }, leave('4')],
    ['shows the proven one beside another', { listed: [proven('3'), one('4')] }, leave('3')],
    [
      'shows only proven ones that differ',
      { listed: [proven('3', { differs: ['brand'] }), proven('4', { differs: ['agency'] }), one('5')] },
      { state: 'conflict', activationId: '4', fields: ['agency'], isOwn: false },
    ],
  ])('%s', (_, sight, plan) => {
    expect(decide(sight)).toEqual(plan)
  })

  test('shows one that an older version or a step found, a person is told of it', () => {
    const why = (own: Partial<MadeThing>) => decide({ listed: [one('3', { maker: maker(own) })] })
    const by = 'step "theirs" of pipeline "other"'
    expect(why({ runId: '' })).toMatchObject({ why: expect.stringContaining(`made by ${by}, an earlier version)`) })
    expect(why({ found: true })).toMatchObject({ why: expect.stringContaining(`found by ${by}, run their run)`) })
  })
})

test.each([
  ['fail', { state: 'conflict', activationId: '3', fields: ['brand'], isOwn: true }],
  ['keep', { state: 'leave', activationId: '3', changed: ['brand'] }],
  ['replace', { state: 'replace', activationId: '3', changed: ['brand'] }],
] as const)('the remembered one differs, and onChange is %s', (onChange, plan) => {
  const own = proven('3', { differs: ['brand'] })
  expect(decide({ own, listed: [one('4')] }, onChange)).toEqual(plan)
  expect(decide({ own: proven('3') }, onChange)).toEqual(leave('3'))
})

import { expect, test } from 'vitest'
import type { Job } from '../../src/contract/job.ts'
import { activationKey } from '../../src/steps/activation-memory.ts'
import { madeForActivation } from '../../src/steps/made-for.ts'
import { seeActivation } from '../../src/steps/see-activation.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const INPUT = {
  activationName: 'Autos',
  segmentId: 's',
  matchJobId: 'm',
  refreshRate: 30,
  actionType: 'REQUEST',
} as const
const PLACE = { pipeline: 'nightly', stepId: 'activate' }
const MATCH_JOB: Job = { id: 'm', status: 'SUCCESS', matchId: '7' }
const activation = (ActivationId: string) => ({ ActivationId, ActivationName: 'Autos', Status: 'Activated' as const })

/** A service with this job, where these activations are both read and listed. */
function serviceOf(jobs: readonly Job[], ...ids: readonly string[]) {
  const all = ids.map(activation)
  return stillService({
    jobs: [MATCH_JOB, ...jobs],
    activations: Object.fromEntries(all.map((one) => [one.ActivationId, one])),
    listed: { 'activations.list': all },
  })
}

const see = (service: ReturnType<typeof serviceOf>, decision?: 'done' | 'again') =>
  seeActivation(INPUT, { ...PLACE, decision } as never, service)

const running = (id: string): Job => ({ id, status: 'RUNNING' })
const theirs = (about: Record<string, string>, own: object = {}) =>
  madeThing({ kind: 'activation', name: 'Autos', about, ...own })

test.each([
  ['nobody has decided', undefined],
  ['a person wants another', 'again'],
] as const)('the wanted activation is being made by another step: its job is waited for; %s', async (_, decision) => {
  const service = serviceOf([running('5')])
  await service.made.note(theirs(madeForActivation(INPUT).about as never, { job: '5' }))
  expect((await see(service, decision)).plan).toEqual({ state: 'wait', jobId: '5' })
})

test.each([
  ['nobody has decided', undefined, { state: 'busy', jobId: '5' }],
  ['a person takes the listed one', 'done', { state: 'leave', activationId: '1', changed: [] }],
  ['a person wants another', 'again', { state: 'create', changed: [] }],
] as const)('the listed activation may be another that is being made; %s', async (_, decision, plan) => {
  const service = serviceOf([running('5')], '1')
  await service.made.note(theirs({ segmentId: 's', matchId: '8' }, { job: '5' }))
  expect((await see(service, decision)).plan).toEqual(plan)
})

test('where a person wants another, a lone one of an unknown maker is not taken, although the doubt is gone by now', async () => {
  expect((await see(serviceOf([], '1'))).plan).toEqual({ state: 'leave', activationId: '1', changed: [] })
  expect((await see(serviceOf([], '1'), 'again')).plan).toEqual({ state: 'create', changed: [] })
})

test.each([
  ['Requester', 'leave'],
  ['REQUESTER', 'leave'],
  ['', 'leave'],
  ['Approver', 'create'],
  ['approver', 'create'],
  ['Observer', 'undecided'],
])('a lone activation in which the role of the caller is %j: %s', async (myRole, state) => {
  const listed = { 'activations.list': [{ ...activation('1'), myRole: myRole as 'Requester' }] }
  expect((await see(stillService({ jobs: [MATCH_JOB], activations: {}, listed }))).plan.state).toBe(state)
})

test('of two that may be the wanted one a person sees what the service shows', async () => {
  const listed = { 'activations.list': [{ ...activation('1'), campaign: 'Spring', brand: 'B' }, activation('2')] }
  expect((await see(stillService({ jobs: [MATCH_JOB], activations: {}, listed }))).plan).toMatchObject({
    state: 'undecided',
    why: expect.stringMatching(
      /1 \(status Activated, campaign Spring, agency not shown, brand B.*2 \(status Activated, campaign not shown,/,
    ),
  })
})

test('another activation that is being made is nothing to wait for where the wanted one is proven', async () => {
  const service = serviceOf([running('5')], '1', '2')
  await service.made.note(theirs({ segmentId: 's', matchId: '7' }, { id: '2' }))
  await service.made.note(theirs(madeForActivation(INPUT).about as never, { job: '5' }))
  expect(await see(service)).toEqual({
    plan: { state: 'leave', activationId: '2', changed: [] },
    ...{ target: { segmentId: 's', matchId: '7' }, before: ['1', '2'] },
  })
})

const remember = (service: ReturnType<typeof serviceOf>, entry: object) =>
  service.stepMemory.set(activationKey(INPUT, PLACE, service), { segmentId: 's', matchId: '7', sent: {}, ...entry })

const there = { state: 'leave', activationId: '1', changed: [] }
const notThere = {
  ...{ state: 'ambiguous', sentBy: { runId: 'earlier' } },
  why: 'it is not there (yet), and run earlier never learned whether it had made one',
}
const anew = { state: 'create', changed: [] }

/** A service where activation 1 can be read, and no list shows it. */
const hiding = (...jobs: readonly Job[]) =>
  stillService({ jobs: [MATCH_JOB, ...jobs], activations: { 1: activation('1') } })

test.each<[string, Job | undefined, 'again' | undefined, object]>([
  ['goes on', running('5'), undefined, { state: 'wait', jobId: '5' }],
  ['goes on, and a person wants another', running('5'), 'again', { state: 'wait', jobId: '5' }],
  ['made one', { id: '5', status: 'SUCCESS', activationId: '1' }, undefined, there],
  ['made one of its parts', { id: '5', status: 'PARTIAL_SUCCESS', activationId: '1' }, undefined, there],
  ['made one, and a person wants another', { id: '5', status: 'SUCCESS', activationId: '1' }, 'again', anew],
  [
    'made one that does not show',
    { id: '5', status: 'SUCCESS', activationId: '3' },
    undefined,
    {
      ...{ state: 'ambiguous', sentBy: { runId: 'earlier' }, jobId: '5' },
      why: 'job 5 made activation 3, but the service does not show it',
    },
  ],
  ['failed', { id: '5', status: 'FAILED', activationId: '1' }, undefined, anew],
  ['does not say what it made', { id: '5', status: 'SUCCESS' }, undefined, { ...notThere, jobId: '5' }],
  ['is gone', undefined, undefined, { ...notThere, jobId: '5' }],
  ['is gone, and a person wants another', undefined, 'again', anew],
])('an earlier run began it, and its job %s', async (_, job, decision, plan) => {
  const service = hiding(...(job ? [job] : []))
  await remember(service, { state: 'started', jobId: '5', runId: 'earlier' })
  expect((await see(service, decision)).plan).toEqual(plan)
})

test.each([
  ['nobody has decided', undefined, notThere],
  ['a person wants another', 'again', anew],
] as const)('an earlier run was about to send it, and %s', async (_, decision, plan) => {
  const service = hiding()
  await remember(service, { state: 'sending', runId: 'earlier', before: [] })
  expect((await see(service, decision)).plan).toEqual(plan)
})

test.each([
  ['is there', {}, '1', there],
  ['is gone', {}, '2', anew],
  ['is of a match that was not known then', { matchId: null }, '1', there],
  ['is of another match', { matchId: '8' }, '1', { state: 'create', changed: ['match'] }],
  ['was sent otherwise', { sent: { refreshRate: 7 } }, '1', { state: 'conflict', activationId: '1', isOwn: true }],
] as const)('the remembered activation %s', async (_, entry, activationId, plan) => {
  const service = hiding()
  await remember(service, { state: 'known', activationId, ...entry })
  expect((await see(service)).plan).toMatchObject(plan)
})

test('what was in doubt for another match is none for this one', async () => {
  const service = hiding()
  await remember(service, { state: 'sending', runId: 'earlier', before: [], matchId: '8' })
  expect((await see(service)).plan).toEqual({ state: 'create', changed: ['match'] })
})

test('a remembered activation is taken without a look at the list, also if the match is not known any more', async () => {
  const service = stillService({
    activations: { 1: activation('1') },
    listed: { 'activations.list': [activation('1'), activation('2')] },
  })
  await remember(service, { state: 'known', activationId: '1' })
  expect(await see(service)).toEqual({ plan: there, target: { segmentId: 's', matchId: null }, before: [] })
})

test('an activation of the step that is of another segment is told as the reason', async () => {
  const service = serviceOf([], '1')
  await service.made.note(theirs({ segmentId: 't' }, { id: '1', pipeline: 'nightly', step: 'activate' }))
  expect((await see(service)).plan).toEqual({ state: 'create', changed: ['segment'] })
})

test('an activation of another step that is of another segment is none of its business', async () => {
  const service = serviceOf([], '1')
  await service.made.note(theirs({ segmentId: 't' }, { id: '1' }))
  expect((await see(service)).plan).toEqual({ state: 'create', changed: [] })
})

test('a request of another step that got no answer is a reason for doubt, unless the same is wanted', async () => {
  const other = serviceOf([], '1')
  await other.made.note(theirs({ segmentId: 's', matchId: '8' }, { request: 'theirs' }))
  expect((await see(other)).plan).toMatchObject({ state: 'undecided', activationId: '1' })
  const same = serviceOf([], '1')
  await same.made.note(theirs({ segmentId: 's', matchId: '7' }, { request: 'theirs' }))
  expect((await see(same)).plan).toEqual({ state: 'leave', activationId: '1', changed: [] })
})

test('an earlier run began it, and one reading of its job says that it failed: it is not made again', async () => {
  const service = hiding({ id: '5', status: 'SUCCESS', activationId: '1' })
  let failures = 1
  const get = async (input: { jobId: string }) => {
    const job = await service.api.jobs.get(input)
    return input.jobId === '5' && failures-- > 0 ? { id: '5', status: 'FAILED' } : job
  }
  const flickering = { ...service, api: { ...service.api, jobs: { get } } as unknown as typeof service.api }
  await remember(service, { state: 'started', jobId: '5', runId: 'earlier' })
  expect((await see(flickering)).plan).toEqual(there)
})

test.each([
  [
    'nobody has decided',
    undefined,
    { state: 'undecided', why: 'activation 1, which this step made, shows the name "Bikes"', activationId: '1' },
  ],
  ['a person takes it', 'done', there],
  ['a person wants another', 'again', anew],
] as const)('the remembered one shows another name, and %s', async (_, decision, plan) => {
  const activations = { 1: { ...activation('1'), ActivationName: 'Bikes' } }
  const service = stillService({ jobs: [MATCH_JOB], activations })
  await remember(service, { state: 'known', activationId: '1' })
  expect((await see(service, decision)).plan).toEqual(plan)
})

test.each([
  ['made', { id: '1' }, undefined, there],
  ['made, as its job says,', { job: '5' }, undefined, there],
  ['made otherwise', { id: '2' }, undefined, anew],
  [
    'perhaps made',
    { request: 'theirs' },
    undefined,
    { state: 'undecided', why: expect.stringContaining('asked for one') },
  ],
  ['perhaps made, and a person wants another', { request: 'theirs' }, 'again', anew],
] as const)('another step %s the wanted activation, and no list shows it', async (_, own, decision, plan) => {
  const service = stillService({
    jobs: [MATCH_JOB, { id: '5', status: 'SUCCESS', activationId: '1' }],
    activations: { 1: activation('1'), 2: { ...activation('2'), brand: 'B' } },
  })
  await service.made.note(theirs(madeForActivation(INPUT).about as never, own))
  expect((await see(service, decision)).plan).toEqual(plan)
})

test('an activation of another target that no list shows is none of its business', async () => {
  const service = hiding()
  await service.made.note(theirs({ segmentId: 't' }, { id: '1' }))
  await service.made.note(theirs({ segmentId: 't' }, { request: 'theirs' }))
  expect((await see(service)).plan).toEqual(anew)
})

test('one that is proven is taken, and one that no list shows is not even read', async () => {
  const service = serviceOf([], '1', '2')
  const { about } = madeForActivation(INPUT)
  await service.made.note(theirs(about as never, { id: '1' }))
  await service.made.note(theirs(about as never, { id: '3' }))
  expect((await see(service)).plan).toEqual({ state: 'leave', activationId: '1', changed: [] })
  expect(service.reads).toEqual(['job m'])
})

test('a job of another step is nothing to wait for where the maker of each listed one is known', async () => {
  const service = serviceOf([running('5'), { id: '6', status: 'SUCCESS', activationId: '1' }], '1')
  await service.made.note(theirs({ segmentId: 't' }, { job: '5' }))
  await service.made.note(theirs({ segmentId: 's', matchJobId: 'k' }, { job: '6' }))
  expect((await see(service)).plan).toMatchObject({ state: 'undecided', activationId: '1' })
})

test.each([
  ['made', { id: '1' }],
  ['found', { id: '1', found: true }],
])('one that another step %s for the wanted target, and that differs, is none of its business', async (_, own) => {
  const listed = { 'activations.list': [{ ...activation('1'), brand: 'B' }] }
  const service = stillService({ jobs: [MATCH_JOB], listed })
  await service.made.note(theirs({ segmentId: 's', matchId: '7' }, own))
  expect((await see(service)).plan).toEqual(anew)
  const mine = stillService({ jobs: [MATCH_JOB], listed })
  const place = { pipeline: 'nightly', step: 'activate' }
  await mine.made.note(theirs({ segmentId: 's', matchId: '7' }, { ...own, ...place }))
  expect((await see(mine)).plan).toMatchObject({
    state: 'conflict',
    activationId: '1',
    fields: ['brand'],
    isOwn: false,
  })
})

test('what a person is told of one whose role is unknown names it', async () => {
  const listed = { 'activations.list': [{ ...activation('1'), myRole: 'Observer' as 'Requester' }] }
  expect((await see(stillService({ jobs: [MATCH_JOB], listed }))).plan).toMatchObject({
    why: expect.stringContaining('(your role in activation 1 is "Observer")'),
  })
})

test.each([
  ['trims', ' Autos '],
  ['writes in capitals', 'AUTOS'],
  ['does not show', ''],
])('the remembered one is taken, although the service %s its name', async (_, ActivationName) => {
  const service = stillService({ jobs: [MATCH_JOB], activations: { 1: { ...activation('1'), ActivationName } } })
  await remember(service, { state: 'known', activationId: '1' })
  expect((await see(service)).plan).toEqual(there)
})

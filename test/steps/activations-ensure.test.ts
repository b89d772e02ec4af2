import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { madeForActivation } from '../../src/steps/made-for.ts'
import { activation, activationService, INPUT, KNOWN, SENT } from './support/activation-service.ts'
import { madeThing } from './support/made-thing.ts'
import { stepRun } from './support/step-run.ts'

const ensure = (service: Parameters<typeof stepRun>[2], more: JsonObject = {}) =>
  stepRun('activations.ensure', { ...INPUT, ...more }, service)
const CREATED = { 'activations.create': { id: '5', status: 'PENDING' } }

describe('an activation that is', () => {
  test('not there is created, and remembered with its match', async () => {
    const service = await activationService(undefined, CREATED)
    expect(await ensure(service, { onChange: 'keep' }).go()).toMatchObject({
      ...{ action: 'created', changed: [], activationId: '2', jobId: '5', Status: 'Activated' },
    })
    expect(service.sent).toEqual([['activations.create', INPUT]])
    expect(await service.memory()).toEqual({ ...KNOWN, activationId: '2' })
    expect(await service.made.byId('activation', '2')).toMatchObject({
      about: { segmentId: 's', matchJobId: 'm', matchId: '7' },
    })
  })

  test('remembered is left alone, and known to others', async () => {
    const service = await activationService({ ...KNOWN, matchId: null })
    expect(await ensure(service).go()).toEqual({
      ...activation('1'),
      activationId: '1',
      action: 'unchanged',
      changed: [],
    })
    expect(await service.memory()).toEqual(KNOWN)
    expect(await service.made.byId('activation', '1')).toMatchObject({ found: true, about: { matchId: '7' } })
    expect(service.sent).toEqual([])
  })

  test('remembered and kept stays remembered as it was sent', async () => {
    const service = await activationService({ ...KNOWN, sent: { brand: 'A' } })
    const outputs = await ensure(service, { onChange: 'keep' }).go()
    expect(outputs).toMatchObject({ action: 'unchanged', changed: ['refreshRate', 'actionType', 'brand'] })
    expect(await service.memory()).toEqual({ ...KNOWN, sent: { brand: 'A' } })
  })

  test('found and kept is remembered, and nobody knows how it was sent', async () => {
    const service = await activationService(undefined, {}, activation('1', { brand: 'A' }))
    expect(await ensure(service, { onChange: 'keep' }).go()).toMatchObject({ activationId: '1', changed: ['brand'] })
    expect(await service.memory()).toEqual({ ...KNOWN, sent: {} })
  })

  test.each([
    ['there', {}],
    ['gone meanwhile', { 'activations.delete': notFound() }],
  ])('%s and is to be replaced is deleted first', async (_, deleted) => {
    const gone = Object.keys(deleted).length > 0
    const service = await activationService({ ...KNOWN, sent: { ...SENT, brand: 'A' } }, { ...CREATED, ...deleted })
    if (gone) Object.assign(service.api.activations, { get: goneAfterDelete(service) })
    expect(await ensure(service, { onChange: 'replace' }).go()).toMatchObject({
      ...{ action: 'replaced', activationId: '2', changed: ['brand'] },
    })
    expect(service.sent).toEqual([
      ['activations.delete', { id: '1' }],
      ['activations.create', INPUT],
    ])
  })

  test.each([
    ['as it was sent then', { brand: 'A' }],
    ['and nobody knows how it was sent', undefined],
  ])('being made by an earlier run is waited for and remembered %s', async (_, sent) => {
    const service = await activationService({ ...KNOWN, sent, state: 'started', jobId: '5', runId: 'earlier' })
    const get = service.api.jobs.get
    let reads = 0
    const running = async (input: { jobId: string }) =>
      input.jobId === '5' && ++reads === 1 ? { id: '5', status: 'RUNNING' } : get(input)
    Object.assign(service.api.jobs, { get: running })
    expect(await ensure(service).go()).toMatchObject({ action: 'unchanged', changed: [], activationId: '2' })
    expect(await service.memory()).toEqual({ ...KNOWN, activationId: '2', sent: sent ?? {} })
    expect(service.sent).toEqual([])
  })
})

test('an activation that another step makes is waited for, and nobody knows how it was sent', async () => {
  const service = await activationService(undefined)
  await service.made.note(madeThing({ ...madeForActivation(INPUT), job: '5' }))
  const get = service.api.jobs.get
  let reads = 0
  const running = async (input: { jobId: string }) =>
    input.jobId === '5' && ++reads === 1 ? { id: '5', status: 'RUNNING' } : get(input)
  Object.assign(service.api.jobs, { get: running })
  expect(await ensure(service).go()).toMatchObject({ action: 'unchanged', activationId: '2' })
  expect([service.sent, await service.memory()]).toEqual([[], { ...KNOWN, activationId: '2', sent: {} }])
})

function notFound(): ApiError {
  const request = { operation: 'activations.delete', method: 'DELETE', path: '/api/activations/1' }
  return new ApiError(request, { code: 'not-found', outcome: 'rejected', status: 404 })
}

function goneAfterDelete({ sent }: { readonly sent: readonly unknown[] }) {
  return async ({ id }: { id: string }) => {
    if (id === '1' && sent.length > 0) throw notFound()
    return activation(id)
  }
}

describe('a creation', () => {
  const failed = (operation: string, outcome: 'unknown' | 'rejected' | 'notSent') =>
    new ApiError({ operation, method: 'POST', path: '/' }, { code: 'service-error', outcome, status: 503 })
  const OLD = { ...KNOWN, activationId: '9' }
  const SENDING = { segmentId: 's', matchId: '7', sent: SENT, runId: 'run-1', state: 'sending', before: ['3'] }
  const listed = activation('3', { myRole: 'Requester' })

  test('is remembered before it is sent, with what was there', async () => {
    const remembered: unknown[] = []
    const service = await activationService(OLD, {
      'activations.create': async () => {
        remembered.push(await service.memory())
        return { id: '5' }
      },
    })
    await service.made.note(madeThing({ kind: 'activation', name: 'Autos', id: '3', about: { segmentId: 't' } }))
    Object.assign(service.api, {
      items: async function* () {
        yield listed
      },
    })
    await ensure(service).go()
    expect(remembered).toEqual([SENDING])
  })

  test.each([
    ['was refused', failed('activations.create', 'rejected'), OLD],
    ['was not sent', failed('activations.create', 'notSent'), OLD],
    ['got an error from here', Object.assign(new Error('the disk is full')) as ApiError, { ...SENDING, before: [] }],
  ])('that %s leaves the memory as it is known to be', async (_, error, memory) => {
    const service = await activationService(OLD, { 'activations.create': error })
    await expect(ensure(service).go()).rejects.toBe(error)
    expect(await service.memory()).toEqual(memory)
  })

  test('that is not sent, because a read before it fails, leaves the memory as it was', async () => {
    const service = await activationService(OLD, CREATED)
    const error = failed('activations.list', 'unknown')
    let lists = 0
    const items = () => {
      if (++lists > 1) throw error
      return []
    }
    Object.assign(service.api, { items })
    await expect(ensure(service).go()).rejects.toBe(error)
    expect([await service.memory(), service.sent]).toEqual([OLD, []])
  })

  test('that got no answer stays in memory, and is for a person, also in the next run', async () => {
    const service = await activationService(undefined, {
      'activations.create': failed('activations.create', 'unknown'),
    })
    await expect(ensure(service).go()).rejects.toMatchObject({ code: 'outcome-unknown' })
    expect(await service.memory()).toEqual({ ...SENDING, before: [] })
    await expect(stepRun('activations.ensure', INPUT, service, { runId: 'run-2' }).go()).rejects.toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringMatching(
        /in run run-1 and got no answer; it looked for an activation named "Autos": it is not/,
      ),
    })
    expect(service.sent).toHaveLength(1)
  })

  test('whose job is not waited for is remembered by it', async () => {
    const service = await activationService(undefined, CREATED)
    const run = stepRun('activations.ensure', INPUT, service, { await: false })
    expect(await run.go()).toEqual({ jobId: '5', jobStatus: 'PENDING', action: 'created', changed: [] })
    const { before: _, ...sending } = SENDING
    expect(await service.memory()).toEqual({ ...sending, state: 'started', jobId: '5' })
  })
})

describe('a person is told', () => {
  test.each([
    [
      'this step made',
      { ...KNOWN, sent: { ...SENT, brand: 'A', refreshRate: 7 } },
      'refreshRate, brand',
      'give the step `onChange: replace`',
    ],
    ['another made', undefined, 'brand', 'the step does not remember making it'],
  ])('that an activation that %s cannot be changed, and what to do', async (_, memory, fields, hint) => {
    const service = await activationService(memory, {}, activation('1', { brand: 'A' }))
    await expect(ensure(service).go()).rejects.toMatchObject({
      code: 'activation-conflict',
      message: `step "it": activation 1 "Autos" has a different ${fields}; an activation cannot be changed`,
      hint: expect.stringContaining(hint),
    })
  })

  test('which one a yes takes', async () => {
    const service = await activationService(undefined, {}, activation('1'), activation('2'))
    await expect(ensure(service).go()).rejects.toMatchObject({
      code: 'activation-undecided',
      message: expect.stringMatching(/^step "it" wants an activation named "Autos": nothing proves which/),
      hint: expect.stringContaining('with --done the step takes 2, with --again it makes another activation'),
    })
  })

  test('that a yes looks once more where none shows', async () => {
    const service = await activationService(undefined)
    await service.made.note(madeThing({ ...madeForActivation(INPUT), request: 'theirs' }))
    await expect(ensure(service).go()).rejects.toMatchObject({
      hint: expect.stringContaining('the step looks once more'),
    })
  })

  test('for which job the step waited in vain', async () => {
    const service = await activationService(undefined, {}, activation('1'))
    const about = { segmentId: 's', matchId: '8' }
    await service.made.note(madeThing({ kind: 'activation', name: 'Autos', about, job: 'j', at: service.clock.now() }))
    const running = async ({ jobId }: { jobId: string }) => ({ id: jobId, status: 'RUNNING', matchId: '7' })
    Object.assign(service.api.jobs, { get: running })
    await expect(ensure(service).go()).rejects.toMatchObject({
      code: 'job-timeout',
      message: 'an earlier job on activations named "Autos" has not ended',
    })
  })
})

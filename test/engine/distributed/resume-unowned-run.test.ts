import { expect, test } from 'vitest'
import { resumeUnownedRun } from '../../../src/engine/distributed/resume-unowned-run.ts'
import { readTestPipeline } from '../../support/pipelines.ts'

test('a run that another process takes while its records are read stays there', async () => {
  const submission = { pipeline: 'test', file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {}, text: '{}' }
  const nowhere = { executor: undefined, isEnded: false, isQueuedHere: false }
  const resumed = (isAdopted: boolean, where: { executor?: string; isQueuedHere?: boolean } = {}) => {
    const place = { ...nowhere, ...where }
    const given: string[] = []
    const outcome = resumeUnownedRun('r', {
      executor: 'me',
      queue: 'mine',
      here: { profile: 'local' },
      read: readTestPipeline,
      writes: {
        find: async () => ({ runId: 'r', state: 'active', profile: 'local' }),
        records: async () => [{ seq: 0, at: 0, record: { type: 'run.submitted', ...submission } }],
        adopt: async () => isAdopted,
      },
      workers: { living: async () => ['me', 'other'] },
      dbos: { requeue: async (runIds) => void given.push(...runIds), whereAre: async () => new Map([['r', place]]) },
    })
    return outcome.then((how) => [how, given])
  }
  expect(await resumed(true)).toEqual(['here', ['r']])
  expect(await resumed(false)).toEqual(['elsewhere', []])
  // It was given to a process that has not resumed it yet.
  expect(await resumed(true, { executor: 'other' })).toEqual(['elsewhere', []])
  expect(await resumed(true, { executor: 'me' })).toEqual(['here', []])
  expect(await resumed(true, { executor: 'dead' })).toEqual(['here', ['r']])
  expect(await resumed(true, { isQueuedHere: true })).toEqual(['here', []])
})

test.each([
  ['me', 'here'],
  ['another', 'elsewhere'],
])('a run that a living process has stays there: %s', async (executor, where) => {
  const unused = () => Promise.reject(new Error('nothing is read or sent'))
  const outcome = resumeUnownedRun('r', {
    executor: 'me',
    queue: 'mine',
    here: { profile: 'local' },
    read: readTestPipeline,
    writes: {
      find: async () => ({ runId: 'r', state: 'active', profile: 'local', executor }),
      records: unused,
      adopt: unused,
    },
    workers: { living: unused },
    dbos: { requeue: unused, whereAre: unused },
  })
  expect(await outcome).toBe(where)
})

/** The calls of resuming a run, in order, and the result, for a run in any state and with any owner. */
async function asked(
  found: object | undefined,
  {
    place,
    isReadable = true,
    isAdopted = true,
    takesOthers,
  }: {
    place?: object
    isReadable?: boolean
    isAdopted?: boolean
    takesOthers?: true
  } = {},
) {
  const steps: string[] = []
  const note = <T>(name: string, value: T) => {
    steps.push(name)
    return Promise.resolve(value)
  }
  const submission = { pipeline: 'test', file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {}, text: '{}' }
  const records = [{ seq: 0, at: 0, record: { type: 'run.submitted', ...submission } }]
  const deps = {
    ...{ executor: 'me', queue: 'mine', here: { profile: 'local', takesOthers } },
    read: (source: { text: string; file: string }) => {
      steps.push('read')
      if (!isReadable) throw new Error('another version')
      return readTestPipeline(source)
    },
    writes: {
      find: () => note('find', found),
      records: () => note('records', records),
      adopt: () => note('adopt', isAdopted),
    },
    workers: { living: () => note('living', ['me', 'other']) },
    dbos: {
      requeue: (runIds: readonly string[], queue: string, how: object) =>
        note(`requeue ${runIds} ${queue} ${JSON.stringify(how)}`, undefined),
      whereAre: (runIds: readonly string[]) => note('whereAre', new Map(place ? [[runIds[0], place]] : [])),
    },
  } as unknown as Parameters<typeof resumeUnownedRun>[1]
  const how = await resumeUnownedRun('r', deps).catch((error: Error & { code?: string }) => error.code ?? error.message)
  return [how, ...steps]
}

test('resuming asks for no more than it needs, and takes nothing that it cannot read', async () => {
  const active = { runId: 'r', state: 'active', profile: 'local' }
  const queued = { ...active, state: 'queued' }
  const taken = ['find', 'whereAre', 'records', 'read', 'adopt']
  const requeue = 'requeue r mine {"adopts":true}'
  expect(await asked(undefined)).toEqual(['unknown-run', 'find'])
  expect(await asked({ ...active, state: 'ended' })).toEqual(['ended', 'find'])
  expect(await asked({ ...active, executor: 'me' })).toEqual(['here', 'find'])
  expect(await asked({ ...active, executor: 'other' })).toEqual(['elsewhere', 'find'])
  expect(await asked({ ...active, profile: 'staging' })).toEqual(['other-service', 'find'])
  expect(await asked({ ...active, profile: 'staging' }, { takesOthers: true })).toEqual(['here', ...taken, requeue])
  expect(await asked(active)).toEqual(['here', ...taken, requeue])
  // A queued run is admitted when its groups have room.
  expect(await asked(queued)).toEqual(['here', ...taken])
  expect(await asked(active, { isAdopted: false })).toEqual(['elsewhere', ...taken])
  expect(await asked(active, { isReadable: false })).toEqual(['another version', ...taken.slice(0, -1)])
  const on = (place: object) => asked(active, { place: { isEnded: false, isQueuedHere: false, ...place } })
  expect(await on({ isQueuedHere: true })).toEqual(['here', 'find', 'whereAre'])
  expect(await on({ executor: 'other' })).toEqual(['elsewhere', 'find', 'whereAre', 'living'])
  expect(await on({ executor: 'me' })).toEqual(['here', 'find', 'whereAre', 'living'])
  const [, where, ...rest] = taken
  expect(await on({ executor: 'dead' })).toEqual(['here', 'find', where, 'living', ...rest, requeue])
})

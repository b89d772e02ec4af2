import { expect, test } from 'vitest'
import { resumeRun } from '../../../src/engine/distributed/resume-run.ts'
import { readTestPipeline } from '../../support/pipelines.ts'

test('a run that another process takes while its records are read stays there', async () => {
  const submission = { pipeline: 'test', file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {}, text: '{}' }
  const nowhere = { executor: undefined, isEnded: false, isQueuedHere: false }
  const resumed = (isAdopted: boolean, where: { executor?: string; isQueuedHere?: boolean } = {}) => {
    const place = { ...nowhere, ...where }
    const given: string[] = []
    const outcome = resumeRun('r', {
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
  // It was given to a process that has not taken it up yet.
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
  const outcome = resumeRun('r', {
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

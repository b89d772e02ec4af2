import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { RecordedService } from '../../../src/core/service-ref.ts'
import type { NewRun } from '../../../src/state/journal.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const A = { profile: 'local', service: 'https://a.example/p/1' }
const B = { profile: 'local', service: 'embedded:/state/service' }
const A_OF_ANOTHER_PROFILE = { ...A, profile: 'production' }

/** A state folder, opened by processes that use different services. */
function store() {
  const folder = tempFolder()
  return (here?: RecordedService & { takesOthers?: boolean }, meantByProfile?: string) => {
    const state = openEmbeddedState({
      folder,
      redact: (text) => text,
      ...around,
      ...(here && { here }),
      ...(meantByProfile !== undefined && { meantByProfile }),
    })
    onTestFinished(() => state.journal.close())
    return { ...state, folder }
  }
}

function run(runId: string, rest: Partial<NewRun> = {}): NewRun {
  const record = { type: 'run.submitted', pipeline: 'p', file: 'f', folder: '/', text: '', digest: '' } as const
  return { runId, at: 1, record: { ...record, inputs: {}, trigger: {} }, ...rest }
}

/** Runs of service A that no process executes: one that has started, and one in the queue. */
async function leftByA(open: ReturnType<typeof store>): Promise<void> {
  const { journal } = open(A)
  await journal.submit(run('begun'))
  await journal.submit(run('queued', { hold: true }))
  await journal.release(['begun', 'queued'])
}

test.each([
  ['another base URL', B],
  ['another profile', A_OF_ANOTHER_PROFILE],
])('a run is not claimed, recovered or admitted at %s', async (_name, here) => {
  const open = store()
  await leftByA(open)
  const { journal, runs } = open(here)
  for (const runId of ['begun', 'queued']) {
    await expect(journal.claim(runId)).rejects.toMatchObject({
      code: 'other-service',
      kind: 'invalid',
      message: expect.stringContaining(A.service),
      hint: expect.stringContaining(`AUDIENCE_BASE_URL=${A.service}`),
    })
  }
  expect(journal.orphans()).toEqual([])
  expect(await journal.admit({ at: 2, room: () => 9, orphans: true })).toEqual([])
  expect(await runs.unfinishedServices()).toEqual([{ ...A, runs: 2, oldestRunId: 'begun' }])
  const back = open(A).journal
  expect(back.orphans()).toEqual(['begun'])
  expect(await back.admit({ at: 2, room: () => 9, orphans: true })).toEqual(['queued'])
})

test('a run that a person takes to another service belongs there from then on', async () => {
  const open = store()
  await leftByA(open)
  const { journal } = open({ ...B, takesOthers: true })
  expect(await journal.claim('begun')).toBe(true)
  await journal.release(['begun'])
  expect(journal.find('begun')).toMatchObject(B)
  expect(open(A).journal.orphans()).toEqual([])
  expect(open(B).journal.orphans()).toEqual(['begun'])
})

test('where the service of a run is unknown its profile is compared; with the claim it is known', async () => {
  const open = store()
  const old = open({ profile: 'local' }).journal
  await old.submit(run('old'))
  await old.release(['old'])
  await expect(open(A_OF_ANOTHER_PROFILE).journal.claim('old')).rejects.toMatchObject({ code: 'other-service' })
  const { journal } = open(A)
  expect(journal.orphans()).toEqual(['old'])
  await journal.claim('old')
  await journal.release(['old'])
  expect(journal.find('old')).toMatchObject(A)
  await expect(open(B).journal.claim('old')).rejects.toMatchObject({ code: 'other-service' })
})

test('the last successful run is one of the same service', async () => {
  const open = store()
  const a = open(A).journal
  await a.submit(run('good'))
  await a.append('good', [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'succeeded' } }])
  expect(a.lastSuccess('p')).toBe('good')
  expect(open(B).journal.lastSuccess('p')).toBeUndefined()
})

test('what steps remember of one service is not found at another under the same profile', async () => {
  const open = store()
  const key = { profile: 'local', pipeline: 'p', step: 's' }
  await open(A).memory.set(key, { segmentId: '7' })
  expect(await open(B).memory.get(key)).toBeUndefined()
  await open(B).memory.set(key, { segmentId: '8' })
  expect([await open(A).memory.get(key), await open(B).memory.get(key)]).toEqual([
    { segmentId: '7' },
    { segmentId: '8' },
  ])
})

test('what steps remember since before the service was recorded belongs to what the profile itself means', async () => {
  const open = store()
  const key = { profile: 'local', pipeline: 'p', step: 's' }
  const { folder } = open()
  const db = new DatabaseSync(join(folder, 'runs.db'))
  db.exec(`INSERT INTO step_memory VALUES ('local', '', 'p', 's', '{"segmentId":"7"}')`)
  db.close()
  expect(await open(A, B.service).memory.get(key)).toBeUndefined()
  expect(await open(B, B.service).memory.get(key)).toEqual({ segmentId: '7' })
})

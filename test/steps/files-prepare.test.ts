import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import type { StepPlanDeps } from '../../src/steps/define-step.ts'
import { filesPrepare } from '../../src/steps/files-prepare.ts'

const MADE = { rows: 4, keys: 3, duplicates: 1, bad: 0, empty: 0, suppressed: 0, normalisation: 'service/3' }
interface Planned {
  readonly changes?: object
  readonly failure?: Error
  readonly known?: object | null
  /** The files on another machine. */
  readonly there?: readonly object[]
}

const INPUT = { from: { file: 'people.csv' }, column: 1, signal: 'EMAIL' }

/** The plan of a list, and the list that it is compared with. */
async function planOf({ changes, failure, known = INPUT, there }: Planned) {
  const asked: unknown[] = []
  const deps = {
    signal: new AbortController().signal,
    lists: {
      look: async () => there,
      preview: async () => (failure ? Promise.reject(failure) : { file: '/lists/nightly.csv', ...MADE }),
    },
    membership: {
      async compare(list: unknown) {
        asked.push(list)
        return changes
      },
    },
  } as unknown as StepPlanDeps
  const question = { pipeline: 'nightly', stepKey: 'list', stepId: 'list', input: INPUT, unknown: ['inputs.day'] }
  const forecast = await filesPrepare.plan({ ...question, known: known ?? undefined } as never, deps)
  return { forecast, asked }
}

test('a plan prepares the list, and compares it with that of the last run', async () => {
  const changes = { added: 1, removed: 2, kept: 2 }
  const { forecast, asked } = await planOf({ changes })
  expect(forecast).toMatchObject({
    ...{ action: 'prepare', requests: [], complete: true },
    outputs: { file: '/lists/nightly.csv', ...MADE, ...changes },
  })
  expect(asked).toMatchObject([
    { pipeline: 'nightly', stepKey: 'list', keys: 3, form: { signal: 'EMAIL', hash: 'none' } },
  ])
  const hashed = await planOf({ known: { ...INPUT, hash: 'sha256' } })
  expect(hashed.forecast.outputs).toMatchObject({ added: null, removed: null, kept: null })
  expect(hashed.asked).toMatchObject([{ form: { signal: 'EMAIL', hash: 'sha256' } }])
})

test('a plan says what it cannot know yet, and fails as the step would', async () => {
  expect((await planOf({ known: null })).forecast).toMatchObject({ action: 'afterRun', complete: false })
  const refused = (code: string) => new AudienceError({ code, kind: 'failed', message: 'left out', hint: 'wait' })
  const there = [
    { path: 'a.csv', size: 2000 },
    { path: 'b.csv', size: 3000 },
  ]
  const remote = await planOf({ there, known: { ...INPUT, from: { source: 'crm' } } })
  expect(remote.forecast).toMatchObject({
    action: 'prepare',
    complete: false,
    why: 'reads 2 files of crm, 5.0 kB, the first is a.csv',
  })
  const leftOut = await planOf({ failure: refused('source-left-out') })
  expect(leftOut.forecast).toMatchObject({ action: 'afterRun', why: 'left out', complete: false })
  for (const failure of [refused('list-unreadable'), new Error('source-left-out')])
    await expect(planOf({ failure })).rejects.toBe(failure)
})

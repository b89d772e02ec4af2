import { expect, test } from 'vitest'
import type { Today, ViewDeps } from '../../src/console/server/views/view.ts'
import { viewRun } from '../../src/console/server/views/view-run.ts'
import type { StepDescription } from '../../src/runs/describe-run.ts'
import type { RunRow } from '../../src/state/run-history.ts'

const ROW: RunRow = {
  ...{ runId: 'r', pipeline: 'p', profile: 'local', status: 'waiting', submittedAt: 1000, beganAt: 1000 },
  ...{ triggerKind: 'manual', triggerLabel: '' },
}
const WAITS: Partial<StepDescription> = { step: 'ask', status: 'waiting', waitsFor: 'approval' }

const step = (own: Partial<StepDescription>) =>
  ({ status: 'succeeded', jobs: [], effects: 0, decisions: [], attempts: [], ...own }) as unknown as StepDescription
const after = (...ids: readonly string[]) => ids.map((id) => ({ id, needs: ['ask'], section: 'steps' as const }))
const today = (digest: string, ...ids: readonly string[]) =>
  ({ digest, text: '', steps: after(...ids) }) as unknown as Today

/** A run of the document `then`, which has the step `recorded` after its question. */
async function shown({
  steps,
  now,
  row = {},
}: {
  steps: readonly StepDescription[]
  now?: Today
  row?: Partial<RunRow>
}) {
  let reads = 0
  const asked: string[] = []
  const deps = {
    readRun: async () => ({
      ...{ row: { ...ROW, ...row }, records: [], submission: { text: '', file: 'p.yaml', queued: ['it'] } },
      run: { file: 'p.yaml', digest: 'then', inputs: {}, trigger: {}, variables: {}, steps },
    }),
    runs: {
      blocked: async () => {
        asked.push('blocked')
        return []
      },
      page: async () => ({ rows: [{ ...ROW, runId: 'good' }] }),
    },
    reader: async () => {
      reads += 1
      const own = after('recorded').map((one) => ({ ...one, uses: 'x', at: { line: 1 } }))
      return { readPipeline: () => ({ steps: own, onFailure: [], finally: [] }), stepTypes: new Map() }
    },
  } as unknown as ViewDeps
  const answer = await viewRun(deps, { runId: 'r' }, { today: now })
  return { answer, reads, asked, followedBy: answer.waits.map((one) => one.followedBy) }
}

test.each([
  ['of its own document', undefined, ['recorded'], 1, true],
  ['of its own document, if that has changed', today('now', 'other'), ['recorded'], 1, true],
  ['of the document that is there, if it is the same', today('then', 'same'), ['same'], 0, false],
])('what a question is followed by are steps %s', async (_, now, followedBy, reads, documentChanged) => {
  const found = await shown({ steps: [step({ step: 'before' }), step(WAITS)], now })
  expect(found).toMatchObject({ followedBy: [followedBy], reads, answer: { documentChanged } })
})

test('a run without questions reads no document', async () => {
  expect(await shown({ steps: [step({ step: 'before' })] })).toMatchObject({ followedBy: [], reads: 0 })
})

test('of many questions the first hundred are shown', async () => {
  const steps = Array.from({ length: 120 }, (_, index) => step({ ...WAITS, index }))
  const { answer } = await shown({ steps, now: today('then') })
  expect(answer.waits.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index))
})

test('what a run waits for and works on is shown until it has ended', async () => {
  const jobs = [{ jobId: '7' }] as unknown as StepDescription['jobs']
  const steps = [step({ step: 'match', status: 'running', jobs })]
  expect(await shown({ steps, row: { status: 'running' } })).toMatchObject({
    asked: ['blocked'],
    answer: { jobsUnderWay: ['7'], queued: undefined, lastGood: 'good' },
  })
  expect(await shown({ steps, row: { status: 'failed', finishedAt: 2000 } })).toMatchObject({
    asked: [],
    answer: { jobsUnderWay: [], blocked: [] },
  })
  expect((await shown({ steps: [], row: { status: 'queued' } })).answer.queued).toEqual(['it'])
})

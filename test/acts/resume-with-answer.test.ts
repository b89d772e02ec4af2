import { expect, test } from 'vitest'
import { resumeWithAnswer, runToResume } from '../../src/acts/resume-with-answer.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { RunTakenOverError } from '../../src/state/run-store.ts'
import { openRecordedProject } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261127t010000-aaaaaaaaaa'
const ANA = { by: 'Ana', comment: 'it is there' }
const DONE = { name: 'list', decision: 'done' } as const

/** A run whose step `list` waits for a decision. */
async function waiting() {
  const state = openRecordedProject(tempFolder())
  await state.addRun(RUN, { at: 1 })
  const step = { step: 'list', attempt: 1 }
  await state.journal.append(RUN, [
    { seq: 1, at: 2, record: { type: 'step.started', ...step } },
    {
      seq: 2,
      at: 3,
      record: { type: 'step.waiting', ...step, reason: 'decision', error: { code: 'c', kind: 'failed', message: 'm' } },
    },
  ])
  const entries = async () =>
    (await state.audit.list({ limit: 9 })).map(({ act, detail, outcome }) => [act, detail, outcome].join(' '))
  const asked = (given?: typeof DONE) => runToResume(RUN, given, { runs: state.runs, readPipeline })
  return { state, entries, asked, [Symbol.asyncDispose]: async () => state.close() }
}

const GOES_ON = { resume: async () => {} }
const TAKEN = { resume: () => Promise.reject(new RunTakenOverError(RUN)) }

test.each([
  ['this process goes on with it', undefined, GOES_ON, undefined, ['run.resume  done']],
  ['another process has it', undefined, TAKEN, 'run-taken-over', []],
  ['this process goes on with its answer', DONE, GOES_ON, undefined, ['run.done list done']],
  ['another process has it and its answer', DONE, TAKEN, undefined, ['run.done list done']],
])('a run is resumed: %s', async (_, given, engine, code, audit) => {
  await using at = await waiting()
  const { answer } = await at.asked(given)
  const resumed = resumeWithAnswer({ runId: RUN, answer, actor: ANA }, { engine, state: at.state })
  expect(await resumed.catch((error: { code: string }) => error.code)).toBe(code)
  expect(await at.entries()).toEqual(audit)
})

test('an answer that is refused, because somebody else was faster, is in the audit log', async () => {
  await using at = await waiting()
  const [{ answer }, other] = [await at.asked(DONE), await at.asked(DONE)]
  await resumeWithAnswer(
    { runId: RUN, answer: other.answer, actor: { by: 'Bo' } },
    { engine: GOES_ON, state: at.state },
  )
  await expect(
    resumeWithAnswer({ runId: RUN, answer, actor: ANA }, { engine: GOES_ON, state: at.state }),
  ).rejects.toMatchObject({ code: 'already-decided', kind: 'usage' })
  expect(await at.entries()).toEqual(['run.decide list done already-decided', 'run.done list done'])
})

test.each([
  ['succeeded', /retry .* --from STEP repeats it from a step/],
  ['failed', /start a new one that keeps what succeeded/],
] as const)('a run that has %s is not resumed', async (status, hint) => {
  await using at = await waiting()
  await at.state.journal.append(RUN, [{ seq: 3, at: 4, record: { type: 'run.finished', status } }])
  await expect(at.asked()).rejects.toMatchObject({ code: 'run-ended', hint: expect.stringMatching(hint) })
})

import { expect, test } from 'vitest'
import type { RunRecord, StoredRecord } from '../../../src/core/run.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import type { Journal } from '../../../src/state/journal.ts'
import { memoryJournal } from '../../support/memory-journal.ts'
import { expression, pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { turnClock } from '../../support/turn-clock.ts'

/*
 * A run that its guard holds, executed by engines that die one after the other: the first dies with its second append,
 * the next with its second, and so on. A person decides as soon as the run waits.
 */

const GUARD = { of: expression('outputs.people'), learn: false, onBreach: 'approve' } as const
const DOCUMENT = pipeline([
  step('match', { guard: { ...GUARD, min: { kind: 'value', value: 500 } } }),
  step('activate', { needs: ['match'] }),
])

/** A journal with the decision of a person for a waiting run. */
function decidedJournal(
  disk: Map<string, StoredRecord[]>,
  decision: 'approved' | 'rejected',
  appends: number,
): Journal {
  return {
    ...memoryJournal(disk, appends),
    messages: () =>
      (disk.get('r') ?? []).at(-1)?.record.type === 'step.waiting'
        ? [{ id: 1, runId: 'r', message: { kind: 'decide', ref: { step: 'match' }, decision } }]
        : [],
  }
}

async function runWithDeaths(decision: 'approved' | 'rejected', deaths: readonly number[]) {
  const disk = new Map<string, StoredRecord[]>()
  const work: string[] = []
  for (const appends of [...deaths, Number.POSITIVE_INFINITY]) {
    const engine = createEngine({
      journal: decidedJournal(disk, decision, appends),
      clock: turnClock,
      random: () => 0.5,
      stepTypes: testStepTypes,
      async runStep(_name, { stepId, once }) {
        const decided = (disk.get('r') ?? []).some(({ record }) => record.type === 'decision.made')
        work.push(`${stepId}${decided ? ' after the decision' : ''}`)
        // Its value changes with every attempt unless it is recorded.
        return { people: await once('people', async () => 167 + work.length) }
      },
      readPipeline: readTestPipeline,
      env: {},
    })
    try {
      if (disk.has('r')) await engine.resume('r')
      else await engine.submit({ runId: 'r', pipeline: DOCUMENT, inputs: {}, trigger: {}, folder: '/' })
      for await (const _event of engine.events('r')) {
        // Until the run ends or the engine dies.
      }
    } catch {
      // It died; only what it stored counts.
    }
    await engine.stop(1000)
  }
  return { work, types: (disk.get('r') ?? []).map(({ record }) => named(record)) }
}

function named(record: RunRecord): string {
  return [record.type, 'step' in record && record.step, 'status' in record && record.status].filter(Boolean).join(' ')
}

const HELD = ['run.submitted', 'step.started match', 'effect.done match', 'guard.measured match', 'step.waiting match']
const ENDS = {
  approved: [
    'step.finished match succeeded',
    'step.started activate',
    'effect.done activate',
    'step.finished activate succeeded',
    'run.finished succeeded',
  ],
  rejected: ['step.finished match failed', 'step.finished activate skipped', 'run.finished failed'],
} as const

test.for(['approved', 'rejected'] as const)(
  'whenever engines die, a value is judged once, held, and %s once; nothing after it begins before',
  async (decision) => {
    // Either each of eleven engines can append only once, or the first engine can append two to eight times. The engine
    // after those does not die.
    for (const deaths of [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [2], [3], [4], [5], [6], [7], [8]]) {
      const { work, types } = await runWithDeaths(decision, deaths)
      expect(types).toEqual([...HELD, 'decision.made match', ...ENDS[decision]])
      const activated = work.filter((one) => one.startsWith('activate'))
      expect(new Set(activated)).toEqual(new Set(decision === 'approved' ? ['activate after the decision'] : []))
      expect(work).not.toContain('match after the decision')
    }
  },
)

import { expect, test } from 'vitest'
import type { AudienceError } from '../../../src/core/errors.ts'
import { createSecrets } from '../../../src/core/secrets.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { pipeline, readTestPipeline, step, template, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

type Env = Readonly<Record<string, string>>

/** A journal and engines on it, one after the other. `said` has what they sent and what they could not read. */
function world() {
  const secrets = createSecrets()
  const { journal, runs } = openEmbeddedState({ folder: tempFolder(), redact: secrets.redact, ...around })
  const said: unknown[] = []
  const engine = (env: Env, { holds = false } = {}) => {
    for (const value of Object.values(env)) secrets.add(value)
    return createEngine({
      ...{ journal, clock: systemClock, random: Math.random, stepTypes: testStepTypes, readPipeline: readTestPipeline },
      async runStep(_, { stepId, signal }, { input }) {
        said.push(input)
        if (stepId === 'b' && holds) await new Promise((_, reject) => signal.addEventListener('abort', reject))
        return { got: input }
      },
      onUnreadable: (_, error) => said.push((error as AudienceError).code, (error as AudienceError).message),
      ...{ env, redactData: secrets.redactData },
    })
  }
  return { journal, runs, said, engine }
}

const document = pipeline(
  [
    step('a', { with: template({ x: '${{ inputs.name }}' }) }),
    step('b', { needs: ['a'], with: template({ y: '${{ steps.a.outputs.got.x }}' }) }),
  ],
  { inputs: { name: { type: 'string' } } as never, env: ['SEASON'], outputs: {} },
)

test('a resumed run goes on with the value of its variable, and waits where that is not set', async () => {
  const { journal, runs, said, engine } = world()
  const first = engine({ SEASON: 'summer' }, { holds: true })
  const request = {
    runId: 'r',
    pipeline: document,
    folder: '/',
    inputs: { name: 'a Summer sale, summer' },
    trigger: {},
  }
  await first.submit(request)
  await expect.poll(() => said).toHaveLength(2)
  await first.stop(1000)
  expect((await runs.records('r'))[0]?.record).toMatchObject({ inputs: { name: 'a *** sale, ***' } })

  const without = engine({})
  without.start()
  await expect.poll(() => said).toContain('env-missing')
  await without.stop(1000)
  expect(said.at(-1)).toContain('SEASON')

  const again = engine({ SEASON: 'summer' })
  again.start()
  await expect.poll(() => journal.find('r')?.status).toBe('succeeded')
  await again.stop(1000)
  expect(said.at(-1)).toEqual({ y: 'a Summer sale, summer' })
  journal.close()
})

test('a run whose variable is not set can be cancelled, unless steps would still run', async () => {
  const { journal, runs, said, engine } = world()
  const first = engine({ SEASON: 'summer' }, { holds: true })
  const request = { pipeline: document, folder: '/', inputs: { name: 'a summer sale' }, trigger: {} }
  await first.submit({ ...request, runId: 'r' })
  const cleans = pipeline(document.steps, {
    ...{ inputs: document.inputs, env: document.env },
    finally: [step('c', { with: template({ z: '${{ inputs.name }}' }) })],
  })
  await first.submit({ ...request, runId: 'cleans', pipeline: cleans })
  await expect.poll(() => said).toHaveLength(4)
  await first.stop(1000)

  const without = engine({})
  await without.cancel('r')
  await expect.poll(() => journal.find('r')?.status).toBe('cancelled')
  expect((await runs.records('r'))[0]?.record).toMatchObject({ inputs: { name: 'a *** sale' } })
  await expect(without.cancel('cleans')).rejects.toMatchObject({ code: 'env-missing' })
  await without.stop(1000)
  expect(said).toHaveLength(4)

  const again = engine({ SEASON: 'summer' })
  again.start()
  await expect.poll(() => journal.find('cleans')?.status).toBe('cancelled')
  await again.stop(1000)
  expect(said.slice(4)).toEqual([{ z: 'a summer sale' }])
  journal.close()
})

test('the variable of another document changes nothing in a run', async () => {
  const { journal, said, engine } = world()
  const env = { SEASON: 'summer', KEY: 'segments', OTHER: 'succeeded' }
  const first = engine(env, { holds: true })
  const other = { ...document, env: [], text: document.text.replace('["SEASON"]', '[]') }
  const request = { runId: 'r', pipeline: other, folder: '/', inputs: { name: 'segments of summer' }, trigger: {} }
  await first.submit(request)
  await expect.poll(() => said).toHaveLength(2)
  await first.stop(1000)
  const again = engine({})
  again.start()
  await expect.poll(() => journal.find('r')?.status).toBe('succeeded')
  await again.stop(1000)
  expect(said.at(-1)).toEqual({ y: 'segments of summer' })
  journal.close()
})

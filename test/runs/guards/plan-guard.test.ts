import { expect, test } from 'vitest'
import type { GuardValue } from '../../../src/core/guard.ts'
import type { Guard } from '../../../src/core/pipeline.ts'
import { describeGuardPlan, planGuards } from '../../../src/runs/guards/plan-guard.ts'
import { expression, pipeline, step, template } from '../../support/pipelines.ts'

const GUARD: Guard = { of: expression(' outputs.n '), learn: { runs: 30, warmUp: 3 }, onBreach: 'approve' }
const valuesOf = (values: readonly number[], item?: string): GuardValue[] =>
  values.map((value, place) => ({
    runId: `r${99 - place}`,
    value,
    verdict: 'good',
    ...(item !== undefined && { item }),
  }))

async function lines(guard: Partial<Guard>, values: readonly GuardValue[]) {
  const document = pipeline([step('a'), step('b', { guard: { ...GUARD, ...guard } })])
  const asked: object[] = []
  const plans = await planGuards(document, {
    guardValues: async (filter) => {
      asked.push(filter)
      return values
    },
  })
  expect([...plans.keys()]).toEqual(['b'])
  return { asked, lines: describeGuardPlan(plans.get('b')!) }
}

test('shows the band that would apply, and the last values', async () => {
  const { asked, lines: shown } = await lines({}, valuesOf([866, 850, 870, 860, 855, 840]))
  expect(asked).toMatchObject([{ pipeline: 'test', step: 'b', limit: 30 }])
  expect(shown).toEqual([
    'guard outputs.n: 686 to 1,029, otherwise a person must approve; last values 866, 850, 870, 860, 855',
  ])
})

test('names the approved values: what is near one passes too', async () => {
  const values = valuesOf([200, 850, 870, 860, 855, 840])
  const { lines: shown } = await lines({}, [{ ...values[0]!, verdict: 'approved' }, ...values.slice(1)])
  expect(shown).toEqual([
    'guard outputs.n: 682 to 1,023 or within 20 % of an approved value (200), otherwise a person must approve; last values 200, 850, 870, 860, 855',
  ])
})

test('says how many values it still needs', async () => {
  expect((await lines({}, [])).lines).toEqual(['guard outputs.n: no values yet; it judges once it has 3'])
  expect((await lines({}, valuesOf([866, 850]))).lines).toEqual([
    'guard outputs.n: learning, 2 of 3 values; last values 866, 850',
  ])
})

test('has a line for each item, of many the first ones', async () => {
  const values = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((key, index) => valuesOf([index, index, index], key))
  const { lines: shown } = await lines({ onBreach: 'fail' }, values)
  expect(shown).toHaveLength(6)
  expect(shown[1]).toBe('guard of b: 0.8 to 1.2, otherwise the step fails; last values 1, 1, 1')
  expect(shown.at(-1)).toBe('the guards of all 6 items: see --json')
})

test('of one that does not learn it reads nothing', async () => {
  const { asked, lines: shown } = await lines({ learn: false, min: template(3), onBreach: 'warn' }, [])
  expect(asked).toEqual([])
  expect(shown).toEqual(['guard outputs.n: within its limits, otherwise people are warned'])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AudienceError, NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { stepRun } from '../steps/support/step-run.ts'
import { tries } from '../support/tries.ts'
import { turnClock } from '../support/turn-clock.ts'
import { type AnyAnswer, anyAnswer, anyRead, OTHER } from './any-answers.ts'
import { LAW_CASES, type LawBench, type LawCase } from './law-cases.ts'
import { startOtherService } from './other-service.ts'
import { servicesAt } from './services-at.ts'
import type { ReadId } from './ways.ts'

/**
 * For any answer to a write, before or after the service applied it, and any answer to a read: a step never makes its
 * thing twice, never succeeds without it, never leaves the old one beside a replacement, and never shows another thing.
 * `audience runs retry`, which the message proposes, and a person who looks and decides, always lead to the end.
 */

const RUNS_EACH = tries(11, 550)
/** The number of cases of each kind that run at the same time, so that they share the waiting time. */
const AT_ONCE = 11
const MOST_TURNS = 10
/** The reads whose answer shows the requested id. */
const BY_ID: Partial<Record<ReadId, boolean>> = { 'jobs.get': false, 'segments.get': false, 'activations.get': false }
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31))

const found = new Map<string, string[]>()
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audience-law-'))
  writeFileSync(join(folder, 'people.csv'), 'p1@x.test\np2@x.test\n')
  await Promise.all(Object.entries(LAW_CASES).map(async ([name, law]) => found.set(name, await breaches(law))))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(Object.keys(LAW_CASES))('%s, whatever answers its writes', (name) => {
  expect(found.get(name), `SOAK_SEED=${seed}`).toEqual([])
})

async function breaches(law: LawCase): Promise<string[]> {
  const { writes, reads = BY_ID } = law
  const toReads = Object.entries(reads).map(([id, isNamed]) => anyRead(id as ReadId, isNamed))
  const answers = fc
    .tuple(
      fc.array(fc.oneof(...writes.map(anyAnswer)), { minLength: 1, maxLength: 3 }),
      fc.array(fc.oneof(...toReads), { maxLength: 2 }),
    )
    .map((both) => both.flat())
  const all = fc.sample(answers, { numRuns: RUNS_EACH, seed })
  const broken: string[] = []
  for (let first = 0; first < all.length; first += AT_ONCE) {
    const some = all.slice(first, first + AT_ONCE)
    const ends = await Promise.all(some.map((each) => lived(law, each)))
    broken.push(
      ...ends.flatMap((end, index) => (end === undefined ? [] : [`${end}, after\n${some[index]?.join('\n')}`])),
    )
  }
  return broken
}

/** The present problem; undefined if there is none. */
async function lived(law: LawCase, answers: readonly AnyAnswer[]): Promise<string | undefined> {
  const { uses, arrange, isDone, count, most = 1 } = law
  const service = await startOtherService({ now: turnClock.now })
  const { holdings } = service
  const services = servicesAt(service, folder)
  const { api } = services
  const step = (stepUses: string, stepInput: JsonObject) => stepRun(stepUses, stepInput, services).go()
  const bench: LawBench = { api, holdings, folder, step }
  try {
    const input = await arrange(bench)
    for (const answer of answers) service.lose({ operation: answer.operation, how: answer })
    const run = stepRun(uses, input, services, { runId: 'the-run' })
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const outputs = await run.go().catch((error: unknown) => {
        if (error instanceof NeedsPersonError) run.decide(isDone(holdings, input, {}) ? 'done' : 'again')
        else if (error instanceof AudienceError) run.retry(error)
        else throw error
        return undefined
      })
      const there = count?.(holdings, input) ?? 0
      if (there > most) return `turn ${turn}: there are ${there}`
      if (JSON.stringify(outputs ?? {}).includes(OTHER)) return `turn ${turn}: believed an answer about another thing`
      if (outputs) return isDone(holdings, input, outputs) ? undefined : `turn ${turn}: succeeded without it`
    }
    return 'it never succeeds'
  } finally {
    await api.close()
    await service.close()
  }
}

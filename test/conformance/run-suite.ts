import { type CaseResult, type ConformanceCase, NEEDS, type Need, NotApplicable } from './conformance-case.ts'
import { createExpect, Deviation } from './expect.ts'
import { createSession, type Session } from './session.ts'
import type { SuiteOptions } from './suite-options.ts'

/**
 * The beginning of the reason if a failure has a cause other than the service's answer: no connection, or a mistake in
 * the case.
 */
export const BROKE_OFF = 'the case broke off'

export interface SuiteRun {
  /** In the order of the cases. */
  readonly results: readonly CaseResult[]
  /** What the suite created and could not delete. */
  readonly leftBehind: readonly string[]
}

/**
 * Runs the cases, several at a time, and reports each result immediately; then removes what they created. After the
 * signal, no further case starts.
 */
export async function runSuite(
  cases: readonly ConformanceCase[],
  options: SuiteOptions,
  { onResult = () => {}, signal }: { onResult?: (result: CaseResult) => void; signal?: AbortSignal } = {},
): Promise<SuiteRun> {
  const session = createSession(options)
  const results = new Map<ConformanceCase, CaseResult>()
  const waiting = [...cases]
  const work = async () => {
    for (let next = waiting.shift(); next && !signal?.aborted; next = waiting.shift()) {
      const result = await runCase(next, session)
      results.set(next, result)
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  const leftBehind = await session.close()
  return { results: cases.flatMap((each) => results.get(each) ?? []), leftBehind }
}

async function runCase(subject: ConformanceCase, session: Session): Promise<CaseResult> {
  const { decision, name } = subject
  const begun = performance.now()
  const ended = (outcome: CaseResult['outcome'], reason?: string): CaseResult => ({
    decision,
    name,
    outcome,
    ...(reason !== undefined && { reason }),
    ms: Math.round(performance.now() - begun),
  })
  const missing = subject.needs?.find((need) => !isGiven(need, session.options))
  if (missing) return ended('not applicable', NEEDS[missing])
  const expect = createExpect()
  try {
    await subject.run(session, expect)
  } catch (error) {
    if (error instanceof NotApplicable) return ended('not applicable', error.message)
    if (error instanceof Deviation) return ended('fail', error.message)
    return ended('fail', `${BROKE_OFF}: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
  }
  return expect.count === 0 ? ended('fail', 'the case asserted nothing') : ended('pass')
}

function isGiven(need: Need, options: SuiteOptions): boolean {
  if (need === 'slow') return options.slow
  return options[need] !== undefined
}

import { expect } from 'vitest'
import type { StepContext, StepProgress, StepRequest } from '../../../src/core/engine.ts'
import type { AudienceError } from '../../../src/core/errors.ts'
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../../src/core/json.ts'
import { reportError } from '../../../src/core/report-error.ts'
import type { HumanDecision } from '../../../src/core/run.ts'
import { announcedWrites, keepsEffects } from '../../../src/runs/keeps-effects.ts'
import type { StepServices } from '../../../src/steps/define-step.ts'
import { stepTypes } from '../../../src/steps/index.ts'

/**
 * The process dies at the nth record: before its effect, after the effect but before the record, or right after the
 * record.
 */
export interface CrashPoint {
  readonly record: number
  readonly when: 'before' | 'unrecorded' | 'recorded'
}

export class Crash extends Error {}

export interface StepRun {
  /**
   * Runs the step as an engine does: recorded values are reused. Throws Crash when it reaches the crash point for the
   * first time.
   */
  go(crash?: CrashPoint, signal?: AbortSignal): Promise<JsonObject>
  /** The decision of a person; `again` is a new attempt without records. */
  decide(decision: HumanDecision): void
  /** Like `audience runs retry` after this failure: begins another run, with the effects that the retry keeps. */
  retry(error: AudienceError): void
  readonly progress: readonly StepProgress[]
  /** The number of recorded values. */
  readonly records: () => number
}

/** The outputs of a step whose process dies at the crash point; the next process finishes the step. */
export async function survived(run: StepRun, crash: CrashPoint): Promise<JsonObject> {
  await expect(run.go(crash)).rejects.toThrow(Crash)
  return run.go()
}

/** Hours, because the clock of the bench runs fast. */
const AWAIT = {
  timeoutMs: 36_000_000,
  approvalTimeoutMs: 36_000_000,
  poll: { initialMs: 500, maxMs: 30_000 },
  accept: ['SUCCESS'],
}

/** One step execution with a journal in memory. */
export function stepRun(
  uses: string,
  input: JsonObject,
  services: StepServices,
  options: { stepId?: string; runId?: string; await?: StepRequest['await'] } = {},
): StepRun {
  const type = stepTypes.get(uses)
  if (!type) throw new Error(`there is no step type ${uses}`)
  const violations = type.check(input)
  if (violations.length > 0) throw new Error(`${uses}: ${JSON.stringify(violations)}`)
  const recorded = new Map<string, string>()
  const progress: StepProgress[] = []
  const { runId = 'run-1' } = options
  let attempt = 1
  let retries = 0
  let decision: HumanDecision | undefined
  return {
    progress,
    records: () => recorded.size,
    decide(decided) {
      decision = decided
      if (decided !== 'again') return
      attempt += 1
      recorded.clear()
    },
    retry(error) {
      retries += 1
      attempt = 1
      decision = undefined
      const effects = new Map([...recorded].map(([name, text]) => [name, parseJson(text)]))
      if (!keepsEffects(reportError(error), announcedWrites(effects))) recorded.clear()
    },
    async go(crash, signal = new AbortController().signal) {
      let count = 0
      const context: StepContext = {
        runId: retries === 0 ? runId : `${runId}-retry-${retries}`,
        stepId: options.stepId ?? 'it',
        stepKey: options.stepId ?? 'it',
        attempt,
        pipeline: 'nightly',
        ...(decision && { decision }),
        signal,
        report: (told) => void progress.push(told),
        makerOf: () => undefined,
        assertOwned: () => undefined,
        wait: (_name, begin) => begin({ signal, report: (told) => void progress.push(told) }),
        async once<T extends Json>(name: string, effect: (signal: AbortSignal) => Promise<T>): Promise<T> {
          const known = recorded.get(name)
          if (known !== undefined) return parseJson(known) as T
          signal.throwIfAborted()
          count += 1
          const here = crash?.record === count ? crash.when : undefined
          if (here === 'before') throw new Crash(name)
          const value = await effect(signal)
          if (here === 'unrecorded') throw new Crash(name)
          recorded.set(name, stringifyJson(value))
          if (here === 'recorded') throw new Crash(name)
          return value
        },
      }
      return type.run({ input, await: type.startsJob ? (options.await ?? AWAIT) : false, context, services })
    },
  }
}

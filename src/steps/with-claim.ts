import { ApiError } from '../adapter/api-error.ts'
import { pollDelay } from '../core/delays.ts'
import type { WaitContext } from '../core/engine.ts'
import { NeedsPersonError } from '../core/errors.ts'
import type { ClaimHolder } from '../state/claims.ts'
import type { StepRun, StepServices } from './define-step.ts'

/** A look is one read of the state. */
const LOOKS = { shortestMs: 100, longestMs: 5000 } as const

/** The `run` of a step type whose steps look for a thing, and make it if there is none. */
export function claiming<Input, Output>(
  thingOf: (input: Input) => string,
  run: (step: StepRun<Input>) => Promise<Output>,
): (step: StepRun<Input>) => Promise<Output> {
  return (step) => withClaim(thingOf(step.input), step, () => run(step))
}

/**
 * Does the work of a step that looks for a thing and makes it if there is none, while no other step does the same
 * (decision 154). If another has the claim, waits until that step or its run has ended. The run may be parked meanwhile,
 * so those who wait never take the place of the one they wait for.
 *
 * The claim stays with the run if nobody knows whether a request was applied: a person has to say so, the process stops,
 * or the step failed in doubt. It ends with the run then.
 */
async function withClaim<T>(
  thing: string,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
  work: () => Promise<T>,
): Promise<T> {
  const holder = { runId: context.runId, step: context.stepKey }
  const fence = await context.wait(`claim ${thing}`, claimWait(thing, holder, services))
  const release = async () => {
    // What this process says after others took the run would end their claim.
    await context.assertOwned()
    await services.claims.release(thing, holder, fence, context.signal)
  }
  const value = await work().catch(async (error: unknown) => {
    if (!mayBeInDoubt(error) && !context.signal.aborted) await release()
    throw error
  })
  await release()
  return value
}

/** Keeps no reference to the run, which may be parked meanwhile. Resolves with the fence. */
function claimWait(thing: string, holder: ClaimHolder, { claims, clock }: Pick<StepServices, 'claims' | 'clock'>) {
  return async ({ signal, report }: WaitContext): Promise<string> => {
    const startedAt = clock.steady()
    let told = ''
    for (;;) {
      const claimed = await claims.take(thing, holder, signal)
      if (claimed.state === 'taken') return claimed.fence
      const { runId, step } = claimed.by
      if (told !== runId + step) report({ kind: 'claim', thing, runId, step })
      told = runId + step
      await clock.sleep(pollDelay(clock.steady() - startedAt, LOOKS), signal)
    }
  }
}

function mayBeInDoubt(error: unknown): boolean {
  return error instanceof NeedsPersonError || (error instanceof ApiError && error.request.outcome === 'unknown')
}

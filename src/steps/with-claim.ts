import { ApiError } from '../adapter/api-error.ts'
import type { OperationId } from '../contract/operations.ts'
import { pollDelay } from '../core/delays.ts'
import type { WaitContext } from '../core/engine.ts'
import { NeedsPersonError } from '../core/errors.ts'
import type { ClaimHolder } from '../state/claims.ts'
import type { StepRun, StepServices } from './define-step.ts'
import { counterpartOf } from './same-match.ts'

/** The delays can be short, because a check is only one read of the state. */
const LOOKS = { shortestMs: 100, longestMs: 5000 } as const

type Deps = Pick<StepRun, 'context' | 'services'>

/** The claims that a write needs, in words that people understand. */
export interface ClaimedThings {
  /**
   * What the write makes or changes. While its outcome is in doubt, others that want the same thing wait until a person
   * has decided. The scopes of a match are left out, because an author may write them as labels.
   */
  readonly thing: string | undefined
  /**
   * Everything that a check could confuse with it: until the answer arrives, the check for another request could
   * mistake the result for its own. Released when the outcome is noted or is in doubt.
   */
  readonly likes: string | undefined
}

export function claimedThings(operation: OperationId, input: Readonly<Record<string, unknown>>): ClaimedThings {
  const { participantSegmentId, segmentId, activationName, matchId, id } = input
  switch (operation) {
    case 'matches.create': {
      const likes = `match of segment ${segmentId}`
      return { thing: `${likes} with ${counterpartOf(input)}`, likes }
    }
    case 'segments.create':
      return { thing: `segment "${participantSegmentId}"`, likes: undefined }
    case 'segments.refresh':
      return { thing: `change of segment ${id}`, likes: undefined }
    case 'activations.create':
      return {
        thing: `activation "${activationName}" of segment ${segmentId}`,
        likes: `activation "${activationName}"`,
      }
    case 'matches.refresh':
    case 'matches.testControl':
      return { thing: `change of match ${matchId}`, likes: undefined }
    default:
      return { thing: undefined, likes: undefined }
  }
}

/** The `run` of a step type whose steps look for what an operation makes, and make it if there is none. */
export function claiming<Input extends Readonly<Record<string, unknown>>, Output>(
  operation: OperationId,
  run: (step: StepRun<Input>) => Promise<Output>,
): (step: StepRun<Input>) => Promise<Output> {
  return (step) => withClaim(claimedThings(operation, step.input).thing, step, () => run(step), { inDoubt: 'keep' })
}

/**
 * Works while no other step has the claim on this thing (decision 154). If another has it, waits until that step or its
 * run has ended. The run may be parked in the meantime, so waiting runs never take up a slot that the holder needs.
 *
 * If nobody knows whether a request was applied (a person has to say so, or the step failed in doubt), `keep` leaves
 * the claim with the run until the run ends. A process that stops always leaves it with the run.
 */
export async function withClaim<T>(
  thing: string | undefined,
  { context, services }: Deps,
  work: () => Promise<T>,
  { inDoubt }: { inDoubt: 'keep' | 'release' },
): Promise<T> {
  if (thing === undefined) return work()
  const holder = { runId: context.runId, step: context.stepKey }
  const fence = await context.wait(`claim ${thing}`, claimWait(thing, holder, services))
  const release = async () => {
    // Releasing after others have taken the run would end their claim.
    await context.assertOwned()
    await services.claims.release(thing, holder, fence, context.signal)
  }
  const value = await work().catch(async (error: unknown) => {
    const isKept = context.signal.aborted || (inDoubt === 'keep' && mayBeInDoubt(error))
    if (!isKept) await release()
    throw error
  })
  await release()
  return value
}

/**
 * If `look` ends with a question for a person, calls it once more while no similar request is in progress. Such a
 * request may have caused the question. Once its answer is noted, the second call can give a clear result.
 */
export async function askingAlone<T>(likes: string | undefined, step: Deps, look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch (error) {
    if (likes === undefined || !(error instanceof NeedsPersonError)) throw error
  }
  return withClaim(likes, step, look, { inDoubt: 'release' })
}

/** Keeps no reference to the run, which may be parked in the meantime. Resolves with the fence. */
function claimWait(thing: string, holder: ClaimHolder, { claims, clock }: Pick<StepServices, 'claims' | 'clock'>) {
  return async ({ signal, report }: WaitContext): Promise<string> => {
    const startedAt = clock.steady()
    let told = ''
    for (;;) {
      const claimed = await claims.take(thing, holder, signal)
      if (claimed.state === 'taken') {
        if (told !== '') report({ kind: 'claim', thing, by: undefined })
        return claimed.fence
      }
      // Each report wakes a run that is parked.
      if (told !== claimed.by.runId) report({ kind: 'claim', thing, by: claimed.by })
      told = claimed.by.runId
      await clock.sleep(pollDelay(clock.steady() - startedAt, LOOKS), signal)
    }
  }
}

function mayBeInDoubt(error: unknown): boolean {
  return error instanceof NeedsPersonError || (error instanceof ApiError && error.request.outcome === 'unknown')
}

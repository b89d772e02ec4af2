import type { StepRun } from './define-step.ts'
import type { MadeFor } from './made-for.ts'

/**
 * Notes what a step asks for, made, or found and adopted, for all steps that look for their own things later. Without
 * an id, a job or a request, there is nothing to note.
 */
export async function noteMade(
  made: MadeFor,
  known: {
    id?: unknown
    job?: unknown
    request?: string | undefined
    found?: boolean
  },
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): Promise<void> {
  const { request, found = false } = known
  const ids = { id: textIn(known.id), job: textIn(known.job) }
  if (ids.id === undefined && ids.job === undefined && request === undefined) return
  const { pipeline, stepId: step, runId } = context
  await services.made.note({ ...made, ...ids, request, pipeline, step, runId, at: services.clock.now(), found })
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

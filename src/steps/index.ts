import { type OperationId, operations } from '../contract/operations.ts'
import type { ForecastStep } from '../pipeline/step-plan.ts'
import { activationsEnsure } from './activations-ensure.ts'
import { approvalWait } from './approval-wait.ts'
import type { RunnableStepType, StepPlanDeps } from './define-step.ts'
import { filesPrepare } from './files-prepare.ts'
import { filesUpload } from './files-upload.ts'
import { jobsWait } from './jobs-wait.ts'
import { matchesCreate } from './matches-create.ts'
import { matchesEnsure } from './matches-ensure.ts'
import { nothingYet } from './nothing-yet.ts'
import { notifyWebhook } from './notify-webhook.ts'
import { operationStep } from './operation-step.ts'
import { pipelinesRun } from './pipelines-run.ts'
import { runFail } from './run-fail.ts'
import { segmentsEnsure } from './segments-ensure.ts'

/** Step types that are not an operation, or that do more than their operation. */
const own: readonly RunnableStepType[] = [
  filesPrepare,
  filesUpload,
  matchesCreate,
  segmentsEnsure,
  matchesEnsure,
  activationsEnsure,
  jobsWait,
  approvalWait,
  notifyWebhook,
  runFail,
  pipelinesRun,
]

/**
 * Every step type by name: one for each operation of the contract. Our own types replace some of them and add others.
 */
export const stepTypes: ReadonlyMap<string, RunnableStepType> = new Map(
  [...(Object.keys(operations) as OperationId[]).map(operationStep), ...own].map((type) => [type.name, type]),
)

/** Forecasts what steps would do now. Reads the service and files of this machine; writes nothing. */
export function createForecast(deps: StepPlanDeps): ForecastStep {
  return async (question) => {
    const { uses, input, unknown } = question
    const known = unknown.length === 0 ? input : undefined
    return (
      stepTypes.get(uses)?.plan({ ...question, known }, deps) ??
      nothingYet('afterRun', 'this version does not know the step type')
    )
  }
}

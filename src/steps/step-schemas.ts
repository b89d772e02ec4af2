import type { JsonSchema } from '../core/json-schema.ts'
import { activationsEnsureInput } from './activations-ensure-schema.ts'
import { approvalWaitInput } from './approval-wait-schema.ts'
import { jobsWaitInput } from './jobs-wait-schema.ts'
import { matchesEnsureInput, matchesEnsureRules } from './matches-ensure-schema.ts'
import { notifyWebhookInput } from './notify-webhook-schema.ts'
import { pipelinesRunInput } from './pipelines-run-schema.ts'
import { segmentsEnsureInput, segmentsEnsureRules } from './segments-ensure-schema.ts'

/**
 * The input schemas of the step types that are not operations, by name, compiled ahead of time. Nothing in here may
 * import the compiled validators.
 */
export const stepSchemas = {
  'segments.ensure': { ...segmentsEnsureInput, allOf: segmentsEnsureRules },
  'matches.ensure': { ...matchesEnsureInput, allOf: matchesEnsureRules },
  'activations.ensure': activationsEnsureInput,
  'jobs.wait': jobsWaitInput,
  'approval.wait': approvalWaitInput,
  'notify.webhook': notifyWebhookInput,
  'pipelines.run': pipelinesRunInput,
} as const satisfies Record<string, JsonSchema>

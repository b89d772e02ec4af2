import type { Forecast, ForecastQuestion } from '../../pipeline/forecast.ts'
import { activationKey, decideAtRest } from '../activations-ensure.ts'
import type { ActivationsEnsureInput } from '../activations-ensure-schema.ts'
import type { ForecastMeans } from './forecast-means.ts'
import { requestOf } from './request-of.ts'

/** What `activations.ensure` would do now. */
export async function forecastActivation(question: ForecastQuestion, means: ForecastMeans): Promise<Forecast> {
  const input = question.input as unknown as ActivationsEnsureInput
  const { plan } = await decideAtRest(input, activationKey(input, question, means), undefined, means)
  switch (plan.state) {
    case 'create': {
      const why =
        plan.changed.length > 0 ? `another ${plan.changed.join(', ')} than before` : 'there is none of this name'
      return {
        action: 'create',
        why,
        changed: plan.changed,
        requests: [requestOf('activations.create', question.input)],
        outputs: {},
        complete: false,
      }
    }
    case 'leave': {
      const { activationId } = plan
      const activation = await means.api.activations.get({ id: activationId }, means)
      return {
        action: 'leave',
        requests: [],
        outputs: { ...activation, activationId, action: 'unchanged', changed: [] },
        complete: true,
      }
    }
    case 'wait':
      return {
        action: 'wait',
        why: `job ${plan.jobId} of an earlier run goes on`,
        requests: [],
        outputs: {},
        complete: false,
      }
    case 'undecided':
      return {
        action: 'afterRun',
        why: `run ${plan.runId} does not know whether it was created: a person has to decide`,
        requests: [],
        outputs: {},
        complete: false,
      }
  }
}

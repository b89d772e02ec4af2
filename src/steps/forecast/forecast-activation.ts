import type { Forecast, ForecastQuestion } from '../../pipeline/forecast.ts'
import type { ActivationsEnsureInput } from '../activations-ensure-schema.ts'
import { seeActivation } from '../see-activation.ts'
import type { ForecastDeps } from './forecast-deps.ts'
import { requestOf } from './request-of.ts'

/** Forecasts what `activations.ensure` would do now. */
export async function forecastActivation(question: ForecastQuestion, deps: ForecastDeps): Promise<Forecast> {
  const input = question.input as unknown as ActivationsEnsureInput
  const { onChange: _onChange, ...fields } = question.input
  const { plan } = await seeActivation(input, question, deps)
  const open = { requests: [], outputs: {}, complete: false }
  switch (plan.state) {
    case 'create': {
      const { changed } = plan
      const why = changed.length > 0 ? `another ${changed.join(', ')} than before` : 'there is none of this name'
      return { ...open, action: 'create', why, changed, requests: [requestOf('activations.create', fields)] }
    }
    case 'replace': {
      const { changed, activationId: id } = plan
      const requests = [requestOf('activations.delete', { id }), requestOf('activations.create', fields)]
      return { ...open, action: 'replace', why: 'an activation cannot be changed', changed, requests }
    }
    case 'conflict': {
      const why = `activation ${plan.activationId} cannot be changed; \`onChange\` says what to do`
      return { ...open, action: 'fail', why, changed: plan.fields }
    }
    case 'leave': {
      const { activationId, changed } = plan
      const activation = await deps.api.activations.get({ id: activationId }, deps)
      return {
        action: 'leave',
        ...(changed.length > 0 && { why: '`onChange: keep`', changed }),
        requests: [],
        outputs: { ...activation, activationId, action: 'unchanged', changed: [...changed] },
        complete: true,
      }
    }
    case 'wait':
      return { ...open, action: 'wait', why: `job ${plan.jobId} of an earlier run goes on` }
    case 'ambiguous':
      return { ...open, action: 'afterRun', why: `${plan.why}: a person has to decide` }
  }
}

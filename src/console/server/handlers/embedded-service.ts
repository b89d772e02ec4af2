import { pickFields } from '../../../core/pick-fields.ts'
import { describeService } from '../../../core/service-ref.ts'
import type { Fields } from '../../api/api-operation.ts'
import { type ServiceOperation, serviceOperations } from '../../api/service-operations.ts'
import { ApiFailure } from '../api-failure.ts'
import type { ApiCall, ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'

/** The handler of each operation on the embedded service. It calls the control API of that service. */
export const serviceHandlers = Object.fromEntries(
  Object.entries<ServiceOperation>(serviceOperations).map(([id, operation]) => [
    id,
    (deps: ConsoleDeps, input: Fields, call: ApiCall) => perform(operation, deps, input, call),
  ]),
  // The handlers keep only the fields that the schema names.
) as unknown as Pick<ApiHandlers, keyof typeof serviceOperations>

async function perform(
  { control, output, audit }: ServiceOperation,
  deps: ConsoleDeps,
  input: Fields,
  { actor }: ApiCall,
): Promise<unknown> {
  if (!deps.control) {
    const message = `this console belongs to ${describeService(deps.here)}; only the embedded service can be inspected`
    const hint = 'the profile local uses the embedded service: audience start --profile local'
    throw new ApiFailure(404, 'not-embedded', message, hint)
  }
  const answer = pickFields(output, await deps.control(...control(input)))
  if (answer === undefined)
    throw new ApiFailure(
      502,
      'service-unreadable',
      'the embedded service sent a response in a form that this console does not know',
      'the process that runs it has another version of audience: end that process and start it again',
    )
  // The service has its own store, so the audit log gets its entry after the service has performed the action.
  if (audit) await deps.state.audit.add({ ...actor, ...audit(input), outcome: 'done' })
  return answer
}

import { describeService } from '../../../core/service-ref.ts'
import { apiOperations } from '../../api/operations.ts'
import { ApiFailure, notFound } from '../api-failure.ts'
import type { AnswerOf, Handler, Handlers, InputOf } from '../call.ts'
import type { ControlOperation } from '../call-control.ts'
import { actorOfCaller } from '../caller.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { pickFields } from '../pick-fields.ts'
import { type ServiceActId, serviceAct } from '../service-act.ts'

type ServiceId = Extract<keyof Handlers, `service.${string}`>

/** Each operation on the embedded service is one of its control API; nothing else is passed on. */
export const serviceHandlers: Pick<Handlers, ServiceId> = {
  'service.clock.get': reading('service.clock.get', 'clock.get'),
  'service.participants.list': reading('service.participants.list', 'participants.list'),
  'service.groups.list': reading('service.groups.list', 'groups.list'),
  'service.segments.list': reading('service.segments.list', 'segments.list'),
  'service.matches.list': reading('service.matches.list', 'matches.list'),
  'service.activations.list': reading('service.activations.list', 'activations.list'),
  'service.jobs.list': reading('service.jobs.list', 'jobs.list'),
  'service.requests.list': reading('service.requests.list', 'requests.list'),
  'service.faults.list': reading('service.faults.list', 'faults.list'),
  'service.clock.act': acting('service.clock.act', ({ act, ms }) => [`clock.${act}`, { ms }]),
  'service.jobs.act': acting('service.jobs.act', ({ act, jobId, partially }) => [
    `jobs.${act}`,
    { id: jobId, partially },
  ]),
  'service.faults.add': acting('service.faults.add', ({ reason: _reason, ...spec }) => ['faults.add', spec]),
  'service.faults.remove': acting('service.faults.remove', ({ fault }) => ['faults.delete', { id: fault }]),
}

function reading<Id extends ServiceId>(id: Id, operation: ControlOperation): Handler<Id> {
  return (deps, input) => call(deps, { id, operation, input })
}

/** The service has a store of its own, so the audit log is written once it has done the act. */
function acting<Id extends ServiceActId>(
  id: Id,
  meant: (input: InputOf<Id>) => readonly [ControlOperation, object],
): Handler<Id> {
  return async (deps, input, { caller }) => {
    const [operation, fields] = meant(input)
    const answer = await call(deps, { id, operation, input: fields })
    const reason = (input as { readonly reason?: string }).reason
    await deps.state.audit.add({ ...actorOfCaller(caller, reason), ...serviceAct(id, input), outcome: 'done' })
    return answer
  }
}

async function call<Id extends ServiceId>(
  { control, here }: ConsoleDeps,
  { id, operation, input }: { readonly id: Id; readonly operation: ControlOperation; readonly input: object },
): Promise<AnswerOf<Id>> {
  if (!control) {
    const message = `this console belongs to ${describeService(here)}; only the embedded service can be looked into`
    throw notFound('not-embedded', message, 'the embedded service is the profile local: audience start --profile local')
  }
  const picked = pickFields(apiOperations[id].output, await control(operation, input))
  // It has what the schema names.
  if (picked !== undefined) return picked as AnswerOf<Id>
  throw new ApiFailure(502, {
    code: 'service-unreadable',
    message: 'the embedded service answers in a form that this console does not know',
    hint: 'the process that runs it has another version of audience: end that process and start it anew',
  })
}

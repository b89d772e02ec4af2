import type { Act } from '../../state/audit-log.ts'

export type ServiceActId = 'service.jobs.act' | 'service.faults.add' | 'service.faults.remove' | 'service.clock.act'

/** An act on the embedded service, for the audit log. The input of a refused one may be incomplete. */
export function serviceAct(id: ServiceActId, input: object): Pick<Act, 'act' | 'subject' | 'detail'> {
  const { jobId, act = '', partially, ms, fault, operation = '', reason: _reason, ...spec } = input as Fields
  switch (id) {
    case 'service.jobs.act':
      return { act: 'service.job', subject: `job ${jobId}`, detail: `${act}${partially === true ? ' partially' : ''}` }
    case 'service.faults.add':
      return { act: 'service.fault', subject: `${operation}`, detail: ['on', ...parts(spec)].join(', ') }
    case 'service.faults.remove':
      return { act: 'service.fault', subject: `fault ${fault}`, detail: 'off' }
    case 'service.clock.act':
      return { act: 'service.clock', subject: 'clock', detail: `${act}${ms === undefined ? '' : ` ${ms} ms`}` }
  }
}

type Fields = Readonly<Record<string, unknown>>

function parts(fields: Fields): string[] {
  return Object.entries(fields).map(([name, value]) => `${name} ${value}`)
}

import type { Act } from '../../state/audit-log.ts'
import type { ApiOperationId } from '../api/operations.ts'
import { serviceAct } from './service-act.ts'

/** What somebody wanted to do, for the audit log; undefined for a POST that does nothing. The input may be incomplete. */
export function refusedAct(id: ApiOperationId, input: object): Pick<Act, 'act' | 'subject' | 'detail'> | undefined {
  const field = (name: string) => {
    const value = (input as Readonly<Record<string, unknown>>)[name]
    return typeof value === 'string' ? value : ''
  }
  const onTrigger = { subject: `${field('pipeline')}/${field('trigger')}` }
  switch (id) {
    case 'runs.start':
      return { act: 'run.start', subject: field('pipeline') }
    case 'runs.retry':
      return { act: 'run.retry', subject: field('runId') }
    case 'runs.cancel':
      return { act: 'run.cancel', subject: field('runId') }
    case 'runs.decide':
      return { act: 'run.decide', subject: field('runId'), detail: `${field('step')} ${field('decision')}`.trim() }
    case 'schedules.pause':
      return { act: 'schedule.pause', ...onTrigger }
    case 'schedules.resume':
      return { act: 'schedule.resume', ...onTrigger }
    case 'schedules.backfill':
      return { act: 'schedule.backfill', ...onTrigger }
    case 'schedules.withdraw':
      return { act: 'schedule.withdraw', ...onTrigger }
    case 'files.retry':
      return { act: 'file.retry', ...onTrigger, detail: field('key') }
    case 'files.upload':
      return { act: 'file.upload', ...onTrigger, detail: field('name') }
    case 'uploads.add':
      return { act: 'input.upload', subject: field('pipeline'), detail: field('name') }
    case 'service.jobs.act':
    case 'service.faults.add':
    case 'service.faults.remove':
    case 'service.clock.act':
      return serviceAct(id, input)
    case 'session.end':
      return { act: 'console.logout', subject: 'console' }
    default:
      return undefined
  }
}

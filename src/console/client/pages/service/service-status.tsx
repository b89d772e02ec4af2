import { capitalised, words } from '../../format/words.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'

const LOOKS: Readonly<Record<string, readonly [icon: IconName, tone: string]>> = {
  SUCCESS: ['check', 'good'],
  FINISHED: ['check', 'good'],
  Activated: ['check', 'good'],
  live: ['check', 'good'],
  FAILED: ['cross', 'bad'],
  PARTIAL_SUCCESS: ['cross', 'bad'],
  REJECTED: ['cross', 'bad'],
  CANCELLED: ['slash', 'quiet'],
  PENDING: ['queued', 'quiet'],
  SUBMITTED: ['queued', 'quiet'],
  PENDING_APPROVAL: ['person', 'wait'],
}

/** A status of the service, in words. */
export function ServiceStatus({ status }: { status: string }) {
  const [icon, tone] = LOOKS[status] ?? ['running', 'busy']
  return (
    <span class={`status ${tone}`} title={status}>
      <Icon name={icon} />
      {statusText(status)}
    </span>
  )
}

/** The status of a job, and whether it is held. */
export function ServiceJobStatus({ status, held }: { status: string; held: boolean }) {
  return (
    <>
      <ServiceStatus status={status} />
      {held && <span class="chip wait">held</span>}
    </>
  )
}

/** A status as text: `PENDING_APPROVAL` becomes `Pending approval`. */
export function statusText(status: string): string {
  return capitalised(words(status))
}

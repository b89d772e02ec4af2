import { Icon, type IconName } from './icon.tsx'

export interface StatusLook {
  readonly icon: IconName
  readonly tone: Tone
  readonly text: string
  /** A shorter text, for tables. */
  readonly short?: string
}

export type Tone = 'good' | 'bad' | 'wait' | 'busy' | 'quiet'

const LOOKS: Readonly<Record<string, StatusLook>> = {
  queued: { icon: 'queued', tone: 'quiet', text: 'Queued' },
  running: { icon: 'running', tone: 'busy', text: 'Running' },
  waiting: { icon: 'person', tone: 'wait', text: 'Waits for a person', short: 'Waiting' },
  succeeded: { icon: 'check', tone: 'good', text: 'Succeeded' },
  partner: { icon: 'queued', tone: 'wait', text: 'Waits for a partner' },
  partial: { icon: 'warning', tone: 'wait', text: 'Succeeded in part' },
  failed: { icon: 'cross', tone: 'bad', text: 'Failed' },
  cancelled: { icon: 'slash', tone: 'quiet', text: 'Cancelled' },
  skipped: { icon: 'skip', tone: 'quiet', text: 'Skipped' },
  due: { icon: 'queued', tone: 'busy', text: 'Due' },
  ran: { icon: 'check', tone: 'quiet', text: 'Ran; its run was removed' },
  coming: { icon: 'queued', tone: 'quiet', text: 'Upcoming' },
  missed: { icon: 'warning', tone: 'bad', text: 'Missed' },
}

/** How a status is shown. An unknown status is shown as it is. */
export function statusLook(status: string): Required<StatusLook> {
  const look = LOOKS[status] ?? { icon: 'queued', tone: 'quiet', text: status }
  return { ...look, short: look.short ?? look.text }
}

/** The status of something: an icon, a colour and a word. */
export function Status({ status, text, short = false }: { status: string; text?: string; short?: boolean }) {
  const look = statusLook(status)
  return (
    <span class={`status ${look.tone}`}>
      <Icon name={look.icon} spins={status === 'running'} />
      {text ?? (short ? look.short : look.text)}
    </span>
  )
}

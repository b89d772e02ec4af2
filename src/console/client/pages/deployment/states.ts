import type { Deployment } from '../../api/types.ts'
import type { IconName } from '../../ui/icon.tsx'

/** How each state of the deployment is shown. */
export const STATES: Readonly<
  Record<
    Deployment['state'],
    { readonly tone: 'good' | 'bad' | 'wait' | 'quiet'; readonly icon: IconName; readonly text: string }
  >
> = {
  current: { tone: 'good', icon: 'check', text: 'The newest commit is in use.' },
  refused: { tone: 'bad', icon: 'cross', text: 'The newest commit is refused; the one in use stays.' },
  unreachable: { tone: 'bad', icon: 'warning', text: 'The repository cannot be reached; what is in use stays.' },
  'ref-gone': { tone: 'bad', icon: 'warning', text: 'The branch or tag is gone; what is in use stays.' },
  paused: { tone: 'wait', icon: 'skip', text: 'Deployments are paused' },
  rolledBack: { tone: 'wait', icon: 'skip', text: 'Somebody went back; the newest commit is skipped.' },
  unknown: { tone: 'quiet', icon: 'queued', text: 'The repository was not looked at yet.' },
}

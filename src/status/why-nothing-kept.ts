import type { Settings } from '../config/settings.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import type { RunRow } from '../state/run-history.ts'

/** The possible reasons why a run has no kept lists. */
export function whyNothingKept({ submittedAt }: RunRow, { privacy }: Pick<Settings, 'privacy'>, now: number): string {
  const { membership } = privacy
  if (membership.kind === 'none') return 'privacy.membership of audience.yaml is none, so nothing is kept'
  if (membership.kind === 'fingerprints' && submittedAt < now - membership.keepMs) {
    return `fingerprints are kept for ${formatTimeLimit(membership.keepMs)} (privacy.membership of audience.yaml), and the run is older`
  }
  return 'it prepared no list, its fingerprints were purged, or nothing was kept at that time'
}

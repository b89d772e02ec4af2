import type { PipelineItem } from '../../api/types.ts'

/**
 * The schedule, files or pipelines that a trigger waits for: `0 2 * * * Europe/Berlin`, `*.csv in /data/inbox` or
 * `after nightly`.
 */
export function triggerText({
  kind,
  cron,
  timezone,
  path,
  pattern,
  after = [],
  on,
}: Omit<PipelineItem['triggers'][number], 'id' | 'next' | 'pausedSince'>): string {
  switch (kind) {
    case 'schedule':
      return `${cron} ${timezone}`
    case 'watch':
      return `${pattern} in ${path}`
    case 'after':
      return `after ${after.join(', ')}${on === 'success' ? '' : ` (on: ${on})`}`
  }
}

/** The profiles under which a trigger starts runs, if it does not start them under the current profile. */
export function onlyUnder({ profiles }: PipelineItem['otherTriggers'][number]): string {
  return `only under ${profiles.join(', ')}`
}

import type { Pipeline } from '../../api/types.ts'

/** What a trigger follows: `0 2 * * * Europe/Berlin`, `*.csv in /data/inbox`. */
export function triggerText({
  kind,
  cron,
  timezone,
  path,
  pattern,
}: Omit<Pipeline['triggers'][number], 'id' | 'next' | 'pausedSince'>): string {
  return kind === 'schedule' ? `${cron} ${timezone}` : `${pattern} in ${path}`
}

/** Where a trigger that starts no runs here does so. */
export function onlyUnder({ profiles }: Pipeline['otherTriggers'][number]): string {
  return `only under ${profiles.join(', ')}`
}

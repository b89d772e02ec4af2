import type { Pipeline } from '../../api/types.ts'

/** What a trigger follows: `0 2 * * * Europe/Berlin`, `*.csv in /data/inbox`. */
export function triggerText({ kind, cron, timezone, path, pattern }: Pipeline['triggers'][number]): string {
  return kind === 'schedule' ? `${cron} ${timezone}` : `${pattern} in ${path}`
}

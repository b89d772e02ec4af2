import type { RunEvent } from '../../core/run-event.ts'

/** What a run waits for before it begins. */
export function describeQueue({ runId, group, behind }: Extract<RunEvent, { event: 'run.queued' }>): string {
  if (group === undefined) return `run ${runId} is queued: \`audience start\` runs it when its turn comes`
  return `run ${runId} is queued: group ${group} is busy with run ${behind}`
}

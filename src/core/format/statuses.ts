/** The statuses of a run or a step that has begun and not ended. */
export const BEGUN_STATUSES = ['running', 'waiting'] as const
/** The statuses of a run that has not ended, in the order in which a run goes through them. */
export const UNFINISHED_STATUSES = ['queued', ...BEGUN_STATUSES] as const
export const FINAL_STATUSES = ['succeeded', 'failed', 'cancelled'] as const
/** Whether a run with this status has ended. */
export function isFinalStatus(value: unknown): value is (typeof FINAL_STATUSES)[number] {
  return (FINAL_STATUSES as readonly unknown[]).includes(value)
}
/** Every status of a run. */
export const RUN_STATUSES = [...UNFINISHED_STATUSES, ...FINAL_STATUSES] as const
/** The status of a run, or `partial`: the run succeeded, although steps or items of it failed. */
const RUN_STANDINGS = [...RUN_STATUSES, 'partial'] as const
export type RunStanding = (typeof RUN_STANDINGS)[number]
/** Every state of a slot or file. */
export const OCCURRENCE_STATES = ['due', 'ran', 'skipped', 'missed', 'failed'] as const
/**
 * What happened to a slot or file: its state, or the status of its run. `ran`: its run is no longer in the history.
 * `failed`: its run failed, or none could be created.
 */
export const OCCURRENCE_OUTCOMES = ['due', 'ran', 'skipped', 'missed', ...RUN_STANDINGS] as const
export type OccurrenceOutcome = (typeof OCCURRENCE_OUTCOMES)[number]
/** Every status of a step that has ended, or was skipped. */
export const SETTLED_STATUSES = ['succeeded', 'failed', 'skipped', 'cancelled'] as const
/** Every status of a step that has begun. */
export const STEP_STATUSES = [...BEGUN_STATUSES, ...SETTLED_STATUSES] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

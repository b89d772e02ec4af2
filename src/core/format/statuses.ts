/** The statuses of a run that has not ended, in the order of its course. */
export const UNFINISHED_STATUSES = ['queued', 'running', 'waiting'] as const
export const FINAL_STATUSES = ['succeeded', 'failed', 'cancelled'] as const
/** Every status of a run. */
export const RUN_STATUSES = [...UNFINISHED_STATUSES, ...FINAL_STATUSES] as const
/** Every status of a step that has begun. */
export const STEP_STATUSES = ['running', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled'] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

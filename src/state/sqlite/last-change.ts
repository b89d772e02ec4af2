/** SQL for the number of the last change to a run. When runs are removed, the number is kept in `checkpoints`. */
export const LAST_CHANGE = `SELECT max(
  coalesce((SELECT max(updated_seq) FROM runs), 0),
  coalesce((SELECT value FROM checkpoints WHERE name = 'runs'), 0)) AS change`

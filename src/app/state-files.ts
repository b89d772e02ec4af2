/** The maintenance of the files of an embedded state: commands reach them only through this module. */
// biome-ignore lint/performance/noBarrelFile: commands may import from app, and not from state/sqlite
export { backupState } from '../state/sqlite/backup-state.ts'
export { checkState } from '../state/sqlite/check-state.ts'
export { compactState, type StateSpace, spaceOf } from '../state/sqlite/compact-state.ts'
export { noState, readFailure } from '../state/sqlite/open-readable-state.ts'

import { createEngine } from '../engine/embedded/create-engine.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import { tightenState } from '../state/sqlite/tighten-state.ts'
import { stateOptions, type Work, type WorkOptions } from './work.ts'

/** Opens the state that the settings name, a folder or a database. */
export async function openWork(options: WorkOptions): Promise<Work> {
  const { database } = options.settings
  if (!database) return openFolderWork(options)
  const { openDatabaseWork } = await import('./open-database-work.ts')
  return openDatabaseWork(database, options)
}

function openFolderWork(options: WorkOptions): Work {
  const { settings, log } = options
  const tightened = tightenState(settings.state)
  if (tightened.length > 0)
    log.warn({ files: tightened }, 'others could read these files of the state; from now on only their owner can')
  const state = openEmbeddedState({ folder: settings.state, ...stateOptions(options), isBusy: true })
  return {
    state,
    trouble: state.trouble,
    openEngine: async (deps) => ({ engine: createEngine({ journal: state.journal, ...deps }) }),
  }
}

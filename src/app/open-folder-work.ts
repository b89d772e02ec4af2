import { createEngine } from '../engine/embedded/create-engine.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import { tightenState } from '../state/sqlite/tighten-state.ts'
import { stateOptions, type Work, type WorkOptions } from './work.ts'

/** Opens the state of a folder. */
export function openFolderWork(options: WorkOptions): Work {
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

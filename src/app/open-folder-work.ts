import { createEngine } from '../engine/embedded/create-engine.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import { tightenState } from '../state/sqlite/tighten-state.ts'
import type { ReadThread } from './read-thread.ts'
import { stateOptions, type Work, type WorkOptions } from './work.ts'

/** Opens the state of a folder; a thread answers the reads over many runs. */
export function openFolderWork(options: WorkOptions, { lists }: Pick<ReadThread, 'lists'>): Work {
  const { settings, log } = options
  const tightened = tightenState(settings.state)
  if (tightened.length > 0)
    log.warn({ files: tightened }, 'others could read these files of the state; from now on only their owner can')
  const state = openEmbeddedState({ folder: settings.state, ...stateOptions(options), lists })
  return {
    state,
    trouble: state.trouble,
    openEngine: async (deps) => ({ engine: createEngine({ journal: state.journal, ...deps }) }),
  }
}

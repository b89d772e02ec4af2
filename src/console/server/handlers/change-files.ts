import { dropAgain } from '../../../acts/drop-again.ts'
import { findTrigger } from '../../../acts/find-trigger.ts'
import { uploadForInput, uploadToFolder } from '../../../acts/upload-file.ts'
import type { ApiHandlers } from '../call.ts'
import { findDocument } from '../document-facts.ts'

export const fileHandlers = {
  /** Uploads a file into a watched folder. */
  'files.upload': (deps, input, { actor, body }) => {
    const { pipeline, trigger, name } = input
    const watch = findTrigger(deps.documents().values(), 'watch', { pipeline, trigger }, deps.settings)
    return uploadToFolder({ watch, name, body }, actor, deps)
  },

  'files.retry': async (deps, input, { actor }) => {
    const { pipeline, trigger, key } = input
    const asked = { ref: { pipeline, trigger }, key, givers: [actor.by] }
    // Each call to a source has a time limit, and the source is closed when the console closes.
    const { signal } = new AbortController()
    return { file: await dropAgain(asked, actor, { ...deps, signal }) }
  },

  /** Stores a file for an input. */
  'uploads.add': (deps, { pipeline, name }, { actor, body }) => {
    findDocument(deps, pipeline)
    return uploadForInput({ pipeline, name, body }, actor, deps)
  },
} satisfies Partial<ApiHandlers>

import { dropAgain } from '../../../acts/drop-again.ts'
import { findTrigger } from '../../../acts/find-trigger.ts'
import { uploadForInput, uploadToFolder } from '../../../acts/upload-file.ts'
import type { ApiHandlers } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { findDocument } from '../document-facts.ts'

export const fileHandlers = {
  /** Uploads a file into a watched folder. */
  'files.upload': (deps, input, { caller, body }) => {
    const { pipeline, trigger, name, reason } = input
    const watch = findTrigger(deps.documents().values(), 'watch', { pipeline, trigger }, deps.settings)
    return uploadToFolder({ watch, name, body }, actorOfCaller(caller, reason), deps)
  },

  'files.retry': async (deps, input, { caller }) => {
    const { pipeline, trigger, key, reason } = input
    const asked = { ref: { pipeline, trigger }, key, givers: [caller.by] }
    // Each call to a source has a time limit, and the source is closed when the console closes.
    const { signal } = new AbortController()
    return { file: await dropAgain(asked, actorOfCaller(caller, reason), { ...deps, signal }) }
  },

  /** Stores a file for an input. */
  'uploads.add': (deps, { pipeline, name }, { caller, body }) => {
    findDocument(deps, pipeline)
    return uploadForInput({ pipeline, name, body }, actorOfCaller(caller), deps)
  },
} satisfies Partial<ApiHandlers>

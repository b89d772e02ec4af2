import type { StepContext } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { ListRequest } from '../lists/list-request.ts'
import type { Lists } from '../lists/lists.ts'
import type { FileContent } from './inspect-file.ts'

/**
 * The list that a step of this run prepared, if a file is one; its rows need no check. After a crash, and in a rerun that
 * kept the step, it is made again if it is missing.
 */
export async function preparedList(
  { file, uploadSignal }: { readonly file: string; readonly uploadSignal: string },
  { runId, pipeline, signal, makerOf }: StepContext,
  lists: Lists,
): Promise<(FileContent & { readonly file: string }) | undefined> {
  const made = makerOf('files.prepare', file)
  if (!made) return undefined
  // Checked with the schema of files.prepare, and made by it.
  const request = made.input as unknown as ListRequest
  const { sha256, keys: rows } = made.outputs as { readonly sha256: string; readonly keys: number }
  if (request.signal !== uploadSignal) throw otherSignal(made.stepKey, request.signal, uploadSignal)
  const kept = await lists.keep(request, { runId, stepKey: made.stepKey, pipeline }, { sha256 }, signal)
  return { ...kept, rows, sha256 }
}

function otherSignal(step: string, prepared: string, uploaded: string): AudienceError {
  return new AudienceError({
    code: 'list-other-signal',
    kind: 'failed',
    message: `the list of step "${step}" has keys of ${prepared}, and uploadSignal is ${uploaded}`,
    hint: 'give both steps the same signal; nothing was sent',
  })
}

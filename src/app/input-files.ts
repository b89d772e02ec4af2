import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import type { InputFiles } from '../engine/distributed/unreadable-inputs.ts'
import type { RunStep } from '../engine/execute-attempt.ts'
import { filesIn } from '../pipeline/named-files.ts'

const UNREADABLE: ReadonlySet<string> = new Set(['file-unreadable', 'list-unreadable'])

/** The first file among the inputs of a run that this process cannot read. */
export const unreadableInput: InputFiles['unreadable'] = async ({ inputs: declared }, { inputs, folder }) => {
  for (const [name, declaration] of Object.entries(declared))
    for (const path of filesIn(declaration, inputs[name] ?? null).map((file) => resolve(folder, file)))
      if (!(await isReadable(path))) return path
  return undefined
}

/** The error of a step that cannot read a file names the machine of its worker: others may read it. */
export function namingHost(runStep: RunStep): RunStep {
  return (...step) =>
    runStep(...step).catch((error) => {
      if (!(error instanceof AudienceError && UNREADABLE.has(error.code))) throw error
      const { code, kind, message, hint, at } = error
      throw new AudienceError({
        ...{ code, kind, message: `on the worker ${hostname()}: ${message}`, cause: error },
        hint,
        at,
      })
    })
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}

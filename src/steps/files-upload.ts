import type { InputOf } from '../contract/operations.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { ObjectSchema } from '../core/json-schema.ts'
import { inspectFile, modifiedAt } from './inspect-file.ts'
import { operationStep } from './operation-step.ts'
import type { RunnableStepType } from './runnable-step-type.ts'
import { uploadName } from './upload-name.ts'

const operation = operationStep('files.upload')

const output = {
  type: 'object',
  required: ['name', 'bytes', 'rows', 'sha256'],
  properties: {
    name: { type: 'string', description: 'Name under which the service keeps the file.' },
    bytes: { type: 'integer', description: 'How many bytes the file has.' },
    rows: { type: 'integer', description: 'How many lines with text in them the file has.' },
    sha256: { type: 'string', description: 'SHA-256 of the file, hex.' },
  },
} as const satisfies ObjectSchema

/**
 * Uploads a file under a name derived from its content. Sending it again, after a lost answer or in tomorrow's run,
 * writes to the same place (docs/decisions.md, "Repeating a write").
 */
export const filesUpload: RunnableStepType = {
  ...operation,
  output,
  async run(context, request, { api, checkFile }): Promise<JsonObject> {
    // The engine has checked the input against the operation's schema.
    const input = request.input as unknown as InputOf<'files.upload'>
    const before = await context.once('content', async (signal) => {
      checkFile(input.file)
      return inspectFile(input.file, signal)
    })
    const answer = await context.once('answer', async (signal) => {
      // A link may point elsewhere by now.
      checkFile(input.file)
      return api.call('files.upload', input, {
        signal,
        uploadName: uploadName(input.file, before.sha256),
        onSent: (sent, total) => context.report({ kind: 'bytes', sent, total }),
      })
    })
    if ((await modifiedAt(input.file)) !== before.modifiedMs) {
      throw new AudienceError({
        code: 'file-changed',
        kind: 'failed',
        message: `${input.file} changed while it was uploaded`,
        hint: 'wait until whoever writes it is done, then run again',
      })
    }
    return { name: answer.name, bytes: before.bytes, rows: before.rows, sha256: before.sha256 }
  },
}

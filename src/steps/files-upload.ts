import { parse } from 'node:path'
import { fileOperations } from '../contract/files.ts'
import { DEFAULT_MINIMUM_SHARE } from '../contract/row-check.ts'
import type { StepContext } from '../core/engine.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import type { ListRequest } from '../lists/list-request.ts'
import type { Lists } from '../lists/lists.ts'
import { openNamed } from '../platform/open-regular.ts'
import { defineStep } from './define-step.ts'
import { type FileContent, inspectFile, modifiedAt } from './inspect-file.ts'
import { afterRun } from './nothing-yet.ts'
import { requestOf } from './request-of.ts'

const { summary, description, input } = fileOperations['files.upload']

/**
 * Uploads a file under a name derived from its content. Sending it again, after a lost answer or in tomorrow's run,
 * writes to the same place (docs/decisions.md, "Repeating a write").
 */
export const filesUpload = defineStep({
  name: 'files.upload',
  summary,
  description,
  input: {
    ...input,
    properties: {
      ...input.properties,
      precheck: {
        type: 'object',
        additionalProperties: false,
        description: 'The conditions for the file; a file that does not meet them is not sent.',
        properties: {
          minimumShare: {
            type: 'number',
            minimum: 0,
            maximum: 1,
            description:
              'The share of rows that must begin with a key of uploadSignal; default: 0.9. 0 sends any text file.',
          },
        },
      },
    },
  },
  output: {
    type: 'object',
    required: ['name', 'bytes', 'rows', 'sha256'],
    properties: {
      name: { type: 'string', description: 'Name under which the service keeps the file.' },
      bytes: { type: 'integer', description: 'How many bytes the file has.' },
      rows: { type: 'integer', description: 'How many rows the file has, without its header and blank lines.' },
      sha256: { type: 'string', description: 'SHA-256 of the file, hex.' },
    },
  },
  async run({ input: { precheck, ...given }, context, services: { api, openUpload, lists } }) {
    const list = await preparedList(given, context, lists)
    const input = { ...given, file: list?.file ?? given.file }
    const rule = ruleOf({ ...input, precheck })
    // The file is opened for each attempt, because a link may point elsewhere by now.
    const openFile = (path: string) => openUpload(path, context.runId)
    const before = await context.once(
      'content',
      async (signal) => list ?? inspectFile(input.file, rule, signal, openFile),
    )
    const answer = await context.once('answer', async (signal) => {
      return api.call('files.upload', input, {
        signal,
        openFile,
        uploadName: uploadName(input.file, before.sha256),
        uploadContent: list ?? before,
        onSent: (sent, total) => context.report({ kind: 'bytes', sent, total }),
      })
    })
    if ((await modifiedAt(input.file)) !== (list ?? before).modifiedMs) {
      throw failedError(
        'file-changed',
        `${input.file} changed while it was uploaded`,
        'wait until its writer is done, then run again',
      )
    }
    return { name: answer.name, bytes: before.bytes, rows: before.rows, sha256: before.sha256 }
  },
  async plan({ input, known, unknown }, { signal, openFile, lists }) {
    const { file } = input
    if (file === undefined) return afterRun({ unknown })
    const { bytes, rows, sha256 } = await inspectFile(
      file,
      // While a part of the rule may be unknown, any text is accepted.
      known ? ruleOf(known) : { ...ruleOf(input), minimumShare: 0 },
      signal,
      lists.has(file) ? openNamed : openFile,
    )
    const outputs = { name: uploadName(file, sha256), bytes, rows, sha256 }
    return { action: 'upload', requests: [requestOf('files.upload', {})], outputs, complete: true }
  },
})

/** The longest file name that the service takes, in characters (decision 109). */
const MAX_LENGTH = 100
const HASH_LENGTH = 16

/** The name to upload a file under: `auto-intenders-3f2a9c1b5d7e8f90.csv`. The same content gets the same name. */
function uploadName(path: string, sha256: string): string {
  const { name, ext } = parse(path)
  const tail = `-${sha256.slice(0, HASH_LENGTH)}${safe(ext).slice(0, 10)}`
  return `${safe(name).slice(0, MAX_LENGTH - tail.length) || 'file'}${tail}`
}

function safe(text: string): string {
  return text.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-')
}

/** The rule for the rows. */
function ruleOf({
  uploadSignal = '',
  precheck,
}: {
  uploadSignal?: string | undefined
  precheck?: { minimumShare?: number | undefined } | undefined
}) {
  return { signal: uploadSignal, minimumShare: precheck?.minimumShare ?? DEFAULT_MINIMUM_SHARE }
}

/**
 * The list that a step of this run prepared, if `file` is such a list; its rows need no check. If the list is missing
 * after a crash, or in a rerun that kept the step, it is made again.
 */
async function preparedList(
  { file, uploadSignal }: { file: string; uploadSignal: string },
  { runId, pipeline, signal, makerOf }: StepContext,
  lists: Lists,
): Promise<(FileContent & { readonly file: string }) | undefined> {
  const made = makerOf('files.prepare', file)
  if (!made) return undefined
  // The input was checked with the schema of files.prepare, which made the list.
  const request = made.input as unknown as ListRequest
  const { sha256, keys: rows } = made.outputs as { readonly sha256: string; readonly keys: number }
  if (request.signal !== uploadSignal) throw otherSignal(made.stepKey, request.signal, uploadSignal)
  const kept = await lists.keep(request, { runId, stepKey: made.stepKey, pipeline }, { sha256 }, signal)
  return { ...kept, rows, sha256 }
}

function otherSignal(step: string, prepared: string, uploaded: string): AudienceError {
  return failedError(
    'list-other-signal',
    `the list of step "${step}" has keys of ${prepared}, but uploadSignal is ${uploaded}`,
    'give both steps the same signal; nothing was sent',
  )
}

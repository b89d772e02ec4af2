import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline as pipe } from 'node:stream/promises'
import { codeOf } from '../../../core/code-of.ts'
import { fileCheck } from '../../../policy/enforce.ts'
import { filePattern } from '../../../triggers/watch/file-pattern.ts'
import { pathOf } from '../../../triggers/watch/watch.ts'
import { ApiFailure, conflict } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { findTrigger, nameOf } from '../trigger-facts.ts'

/** Puts a file into a watched folder under a hidden name, and gives it its name when it is whole. */
export const uploadFile: Handler<'files.upload'> = async (deps, input, { caller, body }) => {
  const { pipeline, trigger: id, name, reason } = input
  const { ref, document, trigger } = findTrigger(deps, 'watch', { pipeline, trigger: id })
  requirePlainName(name, trigger.pattern)
  const folder = pathOf({ ...document, trigger })
  fileCheck(deps.settings.policy)(folder)
  const file = join(folder, name)
  const aside = join(folder, `.${randomBytes(6).toString('hex')}.upload`)
  try {
    const size = await receive(body, aside, trigger.precheck.maxBytes)
    await link(aside, file)
    const act = { act: 'file.upload', subject: nameOf(ref), detail: name, outcome: 'done' } as const
    await deps.state.audit.add({ ...actorOfCaller(caller, reason), ...act })
    return { file, size }
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw conflict(
        'file-exists',
        `there is a file ${name} in the folder already`,
        'wait until it is taken, or give another name',
      )
    throw error
  } finally {
    await rm(aside, { force: true })
  }
}

function requirePlainName(name: string, pattern: string): void {
  const isPlain = !/[/\\\p{Cc}]/u.test(name) && !name.startsWith('.')
  if (isPlain && filePattern(pattern)(name)) return
  const message = isPlain
    ? `name: does not match ${pattern}, so the trigger would not take it`
    : 'name: is no name of a file'
  throw new ApiFailure(400, { code: 'bad-request', message, fields: { name: message.slice('name: '.length) } })
}

async function receive(body: IncomingMessage, path: string, maxBytes: number): Promise<number> {
  let size = 0
  await pipe(
    body,
    async function* limited(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > maxBytes)
          throw new ApiFailure(413, { code: 'file-too-large', message: `the file has more than ${maxBytes} bytes` })
        yield chunk
      }
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return size
}

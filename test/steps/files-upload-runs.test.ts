import { createHash } from 'node:crypto'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StepContext } from '../../src/core/engine.ts'
import { openNamed } from '../../src/platform/open-regular.ts'
import type { StepRun } from '../../src/steps/define-step.ts'
import { filesUpload } from '../../src/steps/files-upload.ts'
import type { FileContent } from '../../src/steps/inspect-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROWS = 'p1@x.test\np2@x.test\n'
const sha256 = createHash('sha256').update(ROWS).digest('hex')
const INPUT = { uploadSignal: 'EMAIL', resultContent: 'BGID' }

interface Upload {
  readonly name?: string
  readonly rows?: string
  /** The list in this file, prepared by an earlier step. */
  readonly list?: { readonly signal: string; readonly modifiedMs?: number }
  readonly whileSent?: (file: string) => void
}

/** Uploads a file. Returns the requests, the events, the questions and the result. */
async function uploaded({ name = 'people.csv', rows = ROWS, list, whileSent }: Upload = {}) {
  const file = join(tempFolder(), name)
  writeFileSync(file, rows)
  // A whole second, as some file systems store it.
  utimesSync(file, 1_700_000_000, 1_700_000_000)
  const [sent, told, opened, kept]: [object[], object[], unknown[][], unknown[][]] = [[], [], [], []]
  const { signal } = new AbortController()
  const call = async (
    id: string,
    input: object,
    options: { uploadName: string; uploadContent: FileContent; onSent(sent: number, total: number): void },
  ) => {
    options.onSent(1, 2)
    const { bytes, modifiedMs, sha256 } = options.uploadContent
    sent.push({ id, input, name: options.uploadName, content: { bytes, modifiedMs, sha256 } })
    whileSent?.(file)
    return { name: 'kept.csv' }
  }
  const context = {
    ...{ runId: 'r', stepKey: 'upload', pipeline: 'p', signal },
    once: (_: string, effect: (signal: AbortSignal) => unknown) => effect(signal),
    report: (progress: object) => told.push(progress),
    makerOf: (uses: string, path: string): ReturnType<StepContext['makerOf']> =>
      list && uses === 'files.prepare' && path === file
        ? { stepKey: 'prepare', input: { signal: list.signal }, outputs: { sha256: 'f00d', keys: 3 } }
        : undefined,
  }
  const openUpload = (path: string, runId: string) => {
    opened.push([path === file, runId])
    return openNamed(path)
  }
  const keep = async (...given: unknown[]) => {
    kept.push(given.slice(0, 3))
    return { file, bytes: 30, modifiedMs: list?.modifiedMs ?? 1_700_000_000_000 }
  }
  const services = { api: { call }, openUpload, lists: { keep } }
  const run = { input: { ...INPUT, file }, context, services } as unknown as StepRun<never>
  const end = await filesUpload.run(run).catch((error: unknown) => error)
  return { end, sent, told, opened, kept, file }
}

test('a file is sent under a name of its content, and the service says how it is kept', async () => {
  const { end, sent, told, opened, file } = await uploaded()
  expect(end).toEqual({ name: 'kept.csv', bytes: 20, rows: 2, sha256 })
  const name = `people-${sha256.slice(0, 16)}.csv`
  const content = { bytes: 20, modifiedMs: 1_700_000_000_000, sha256 }
  expect(sent).toEqual([{ id: 'files.upload', input: { ...INPUT, file }, name, content }])
  expect([told, opened]).toEqual([[{ kind: 'bytes', sent: 1, total: 2 }], [[true, 'r']]])
})

const SUFFIX = `-${sha256.slice(0, 16)}`

test.each([
  ['Käufer & Söhne.csv', `Ka-ufer-So-hne${SUFFIX}.csv`],
  [`${'x'.repeat(200)}.csv`, `${'x'.repeat(79)}${SUFFIX}.csv`],
  ['people.averylongending', `people${SUFFIX}.averylong`],
  ['people', `people${SUFFIX}`],
  ['顧客.csv', `-${SUFFIX}.csv`],
])('%s is sent as %s', async (name, sentAs) => {
  const { sent } = await uploaded({ name })
  expect(sent).toMatchObject([{ name: sentAs }])
  expect(sentAs.length).toBeLessThanOrEqual(100)
})

test('a file that changes meanwhile fails the step', async () => {
  const { end, file } = await uploaded({ whileSent: (path) => utimesSync(path, 1_700_000_001, 1_700_000_001) })
  expect(end).toMatchObject({ code: 'file-changed', message: `${file} changed while it was uploaded` })
})

test('a file without keys is not sent', async () => {
  const { end, sent } = await uploaded({ rows: 'somebody\n' })
  expect([end, sent]).toEqual([expect.objectContaining({ code: 'file-unusable' }), []])
})

test('a prepared list is sent without a look at its rows, and is kept or made again', async () => {
  const { end, sent, opened, kept } = await uploaded({ rows: 'somebody\n', list: { signal: 'EMAIL' } })
  expect(end).toEqual({ name: 'kept.csv', bytes: 30, rows: 3, sha256: 'f00d' })
  const content = { bytes: 30, modifiedMs: 1_700_000_000_000, sha256: 'f00d' }
  expect(sent).toMatchObject([{ name: 'people-f00d.csv', content }])
  expect(opened).toEqual([])
  expect(kept).toEqual([[{ signal: 'EMAIL' }, { runId: 'r', stepKey: 'prepare', pipeline: 'p' }, { sha256: 'f00d' }]])
})

test('a prepared list of another signal is not sent, and one that changes meanwhile fails the step', async () => {
  const { end, sent } = await uploaded({ list: { signal: 'IP' } })
  expect(end).toMatchObject({
    code: 'list-other-signal',
    message: 'the list of step "prepare" has keys of IP, but uploadSignal is EMAIL',
  })
  expect(sent).toEqual([])
  const changed = await uploaded({ list: { signal: 'EMAIL', modifiedMs: 1 } })
  expect(changed.end).toMatchObject({ code: 'file-changed' })
})

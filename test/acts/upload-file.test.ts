import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { uploadForInput, uploadToFolder } from '../../src/acts/upload-file.ts'
import { type Settings, uploadsFolder } from '../../src/config/settings.ts'
import { sha256 } from '../../src/core/sha256.ts'
import { giversOf } from '../../src/daemon/file-givers.ts'
import { namesIn } from '../../src/platform/names-in.ts'
import type { AuditLog } from '../../src/state/audit-log.ts'
import type { Watch } from '../../src/triggers/watch/watch.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ANA = { by: 'Ana', role: 'operator' }
const MAX_BYTES = 8

function bench() {
  const folder = tempFolder()
  mkdirSync(join(folder, 'inbox/done.csv'), { recursive: true })
  const trigger = {
    ...{ id: 'drop', kind: 'watch', path: 'inbox', pattern: '*.csv', done: 'inbox/done.csv', failed: 'failed' },
    precheck: { maxBytes: MAX_BYTES, minimumShare: 0 },
  }
  const watch = { pipeline: { name: 'p' }, folder, trigger } as unknown as Watch
  const settings = { shared: join(folder, 'shared'), policy: { ownEnv: [] } } as unknown as Settings
  const acts: object[] = []
  const audit = { add: async (act: object) => void acts.push(act) } as unknown as AuditLog
  const deps = { settings, state: { audit } }
  const codeOf = (error: { code: string; fields?: object }) =>
    [error.code, ...Object.keys(error.fields ?? {})].join(' ')
  return {
    ...{ folder, acts, uploads: uploadsFolder(settings) },
    toFolder: (name: string, text: string) =>
      uploadToFolder({ watch, name, body: bodyOf(text) }, ANA, deps).catch(codeOf),
    forInput: (name: string, text: string) =>
      uploadForInput({ pipeline: 'p', name, body: bodyOf(text) }, ANA, deps).catch(codeOf),
    inbox: () => readdirSync(join(folder, 'inbox')).sort(),
  }
}

async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  for (const char of text) yield Buffer.from(char)
}

test('a file comes into the watched folder as a whole, and who gave it is recorded', async () => {
  const { folder, acts, uploads, toFolder, inbox } = bench()
  const file = join(folder, 'inbox/a.csv')
  expect(await toFolder('a.csv', 'a,b\n')).toEqual({ file, size: 4 })
  expect([readFileSync(file, 'utf8'), inbox()]).toEqual(['a,b\n', ['a.csv', 'done.csv']])
  expect(giversOf(uploads, sha256('a,b\n'))).toEqual(['Ana'])
  expect(acts).toEqual([{ ...ANA, act: 'file.upload', subject: 'p/drop', detail: 'a.csv', outcome: 'done' }])
})

test.each([
  ['a.txt', '', 'bad-request name'],
  ['done.csv', '', 'bad-request name'],
  ['.a.csv', '', 'bad-request name'],
  ['../a.csv', '', 'bad-request name'],
  ['b.csv', '', 'file-exists'],
  ['a.csv', 'x'.repeat(MAX_BYTES + 1), 'file-too-large'],
])('a watched folder takes no file %s with the text "%s": %s', async (name, text, code) => {
  const { folder, acts, toFolder, inbox } = bench()
  writeFileSync(join(folder, 'inbox/b.csv'), 'of somebody else\n')
  expect(await toFolder(name, text)).toBe(code)
  expect([inbox(), acts]).toEqual([['b.csv', 'done.csv'], []])
  expect(readFileSync(join(folder, 'inbox/b.csv'), 'utf8')).toBe('of somebody else\n')
})

test('a file for an input gets a folder of its own, and who gave it is recorded', async () => {
  const { acts, uploads, forInput } = bench()
  for (const text of ['a,b\n', 'c,d\n']) {
    const { file, size } = (await forInput('list.csv', text)) as { file: string; size: number }
    expect([readFileSync(file, 'utf8'), size]).toEqual([text, 4])
  }
  expect(namesIn(uploads)).toHaveLength(2)
  const entry = { ...ANA, act: 'input.upload', subject: 'p', detail: 'list.csv', outcome: 'done' }
  expect(acts).toEqual([entry, entry])
})

test('of an upload that breaks off, nothing is left', async () => {
  const { folder, uploads, acts } = bench()
  const settings = { shared: join(folder, 'shared'), policy: { ownEnv: [] } } as unknown as Settings
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from('a,')
    throw new Error('it broke off')
  }
  const state = { audit: { add: async (act: object) => void acts.push(act) } as unknown as AuditLog }
  const upload = uploadForInput({ pipeline: 'p', name: 'list.csv', body: body() }, ANA, { settings, state })
  await expect(upload).rejects.toThrow('it broke off')
  expect([namesIn(uploads), acts]).toEqual([[], []])
})

test.each([['a/b.csv'], ['.list.csv'], ['a\u202eb.csv']])('a file for an input cannot be named %j', async (name) => {
  const { uploads, forInput } = bench()
  expect(await forInput(name, 'x')).toBe('bad-request name')
  expect(namesIn(uploads)).toEqual([])
})

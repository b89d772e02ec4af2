import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { openNamed } from '../../src/platform/open-regular.ts'
import { inspectFile } from '../../src/steps/inspect-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  ['people.csv', 'check its path and its permissions'],
  ['inbox/.taken/nightly.drop/1-a~b/people.csv', 'put it back with `audience files drop-again`'],
])('the error for a missing file, %s, says what to do', async (name, hint) => {
  const found = inspectFile(
    join(tempFolder(), name),
    { signal: 'EMAIL', minimumShare: 0 },
    new AbortController().signal,
  )
  await expect(found).rejects.toMatchObject({
    message: expect.stringMatching(/^there is no file .*people\.csv$/),
    hint: expect.stringContaining(hint),
  })
})

test('a stop while the file is opened is the reason of the end, and nothing is left to fail later', async () => {
  const path = join(tempFolder(), 'people.csv')
  writeFileSync(path, 'p1@x.test\n')
  const stop = new AbortController()
  const found = inspectFile(path, { signal: 'EMAIL', minimumShare: 0 }, stop.signal, (name) => {
    stop.abort(new Error('stopped'))
    return openNamed(name)
  })
  // An unhandled error would fail this test file.
  await expect(found).rejects.toThrow('stopped')
})

const inspect = (content: string | Buffer, minimumShare = 0.9) => {
  const path = join(tempFolder(), 'people.csv')
  writeFileSync(path, content)
  return inspectFile(path, { signal: 'EMAIL', minimumShare }, new AbortController().signal)
}

test('a file is read once, to its end: its rows are counted, without a header and blank lines', async () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => `p${index}@x.test`)
  const content = ['email', ...rows, '', ''].join('\n')
  expect(await inspect(content)).toEqual({
    ...{ bytes: content.length, rows: 100_000, sha256: createHash('sha256').update(content).digest('hex') },
    modifiedMs: expect.any(Number),
  })
})

test.each([
  ['is empty', '', 0.9, 'people.csv was not sent: it is empty', 'one person per line'],
  ['has only a header', 'email\n', 0.9, 'was not sent:', 'one person per line'],
  ['has no keys', 'somebody\nanybody\n', 0.9, 'was not sent:', 'correct uploadSignal'],
  ['is empty, and any text would do', '', 0, 'it is empty', 'one person per line'],
])('a file that %s is not sent', async (_, content, share, message, hint) => {
  await expect(inspect(content, share)).rejects.toMatchObject({
    ...{ code: 'file-unusable', message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
  })
})

test('a file that cannot be read says why, and a refusal of the policy stays one', async () => {
  const { signal } = new AbortController()
  const rule = { signal: 'EMAIL', minimumShare: 0 }
  const refused = new AudienceError({ code: 'file-not-allowed', kind: 'failed', message: 'x', hint: 'x' })
  for (const [error, expected] of [
    [new Error('EIO: i/o error'), { code: 'file-unreadable', message: 'people.csv cannot be read: EIO: i/o error' }],
    [refused, refused],
  ] as const)
    await expect(inspectFile('people.csv', rule, signal, () => Promise.reject(error))).rejects.toMatchObject(expected)
})

test('the file is closed, whatever it holds', async () => {
  const path = join(tempFolder(), 'people.csv')
  for (const content of ['', 'p1@x.test\n', 'somebody\n']) {
    writeFileSync(path, content)
    const opened: FileHandle[] = []
    const open = async (name: string) => {
      const file = await openNamed(name)
      opened.push(file)
      return file
    }
    const rule = { signal: 'EMAIL', minimumShare: 0.9 }
    await inspectFile(path, rule, new AbortController().signal, open).catch(() => undefined)
    expect(opened.map(({ fd }) => fd)).toEqual([-1])
  }
})

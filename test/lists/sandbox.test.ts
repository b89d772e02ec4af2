import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  [1, 'small files', 'shared', 130_000],
  [2, 'large files', 'shared', 132_000],
  [2, 'small files with SQL of a document', 'own', 10],
] as const)('DuckDB works with %i threads on %s', async (threads, _what, process, bytes) => {
  const tempDir = tempFolder()
  const files = ['a', 'b', 'missing'].map((name) => join(tempDir, name))
  for (const file of files.slice(0, 2)) writeFileSync(file, 'x'.repeat(bytes))
  const sandboxes = new Sandboxes(LIST_LIMITS)
  onTestFinished(() => sandboxes.close())
  const { signal } = new AbortController()
  const asked = sandboxes.open({ files, tempDir, signal, process }, (sandbox) =>
    sandbox.rows(`SELECT current_setting('threads')::INTEGER AS threads`),
  )
  expect(await asked).toEqual([{ threads }])
})

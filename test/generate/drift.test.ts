import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from '../../src/generate/generated-files.ts'

const root = resolve(import.meta.dirname, '../..')
const files = await generatedFiles()

test.each(files)('$path is what the code says', ({ path, text }) => {
  expect(textOf(path) === text, `${path} is out of date: run npm run generate`).toBe(true)
})

test.each(['schemas', 'docs/reference'])('%s holds nothing that the code does not give any more', (folder) => {
  const known = new Set(files.map(({ path }) => path))
  const unknown = filesIn(folder).filter((path) => !known.has(path))
  expect(unknown, 'delete these').toEqual([])
})

function textOf(path: string): string | undefined {
  try {
    return readFileSync(resolve(root, path), 'utf8')
  } catch {
    return undefined
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(resolve(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => resolve(entry.parentPath, entry.name).slice(root.length + 1))
}

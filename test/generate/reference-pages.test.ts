import { describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/operations.ts'
import { generatedFiles } from '../../src/generate/generated-files.ts'
import { anchor } from '../../src/generate/markdown.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'

const files = new Map((await generatedFiles()).map(({ path, text }) => [path, text]))
const pages = [...files].filter(([path]) => path.endsWith('.md'))

describe.each(pages)('%s', (path, text) => {
  test('nothing in it is a slip of the generator', () => {
    expect(text).not.toMatch(/undefined|\[object Object\]|\bNaN\b/)
  })

  test('every row of a table has as many cells as its head', () => {
    const tables = text
      .trim()
      .split('\n\n')
      .filter((block) => block.startsWith('| '))
    const counts = tables.map((block) => new Set(block.split('\n').map((row) => row.split(/(?<!\\)\|/).length)).size)
    expect(counts.filter((count) => count !== 1)).toEqual([])
  })

  test('every step that it shows is valid in a pipeline', () => {
    const blocks = [...text.matchAll(/```yaml\n([^`]+)```/g)].map((match) => match[1]!)
    const problems = blocks.flatMap((block) => {
      const document = `version: 1\nname: example\nsteps:\n${block}`
      return loadPipeline({ text: document, file: path, stepTypes }).diagnostics
    })
    expect(problems).toEqual([])
  })
})

test('every operation is on the list and has a section with every field', () => {
  const index = files.get('docs/reference/operations.md')!
  const missing = Object.entries(operations).flatMap(([id, { path, input }]) => {
    const page = files.get(`docs/reference/operations/${id.split('.')[0]}.md`)!
    const section = page.split(/^## /m).find((part) => part.startsWith(`${id}\n`)) ?? ''
    const wanted = [path, ...Object.keys(input.properties).map((name) => `\`${name}\``), `audience api ${id}`]
    return [
      ...(index.includes(`[${id}]`) ? [] : [`${id} on the list`]),
      ...wanted.filter((text) => !section.includes(text)).map((text) => `${id}: ${text}`),
    ]
  })
  expect(missing).toEqual([])
})

test('every step type has a section', () => {
  const headings = headingsOf(files.get('docs/reference/step-types.md')!)
  expect([...stepTypes.keys()].filter((name) => !headings.includes(anchor(name)))).toEqual([])
})

function headingsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map((match) => anchor(match[1]!))
}

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTogetherCheck } from '../../src/pipeline/check-across-documents.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { written } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

function pipelineOf(file: string, name: string, watch?: string) {
  const triggers = watch === undefined ? '' : `triggers:\n  - id: drop\n    watch: ${watch}\n`
  const text = `version: 1\nname: ${name}\n${triggers}steps:\n  - id: list\n    uses: groups.list\n`
  const { pipeline, diagnostics } = loadPipeline({ text, file, stepTypes })
  if (!pipeline) throw new Error(JSON.stringify(diagnostics))
  return pipeline
}

const watch = (path: string, pattern = '*.csv') =>
  `{ path: ${path}, pattern: "${pattern}", done: ${path}/done, failed: ${path}/failed }`

test('documents with one name, and documents that watch the same files', () => {
  const check = createTogetherCheck()
  const problems = (...given: Parameters<typeof pipelineOf>) => check(pipelineOf(...given)).map(written)
  expect(problems('/x/a.yaml', 'a', watch('in'))).toEqual([])
  expect(problems('/x/b.yaml', 'b', watch('in', '*.txt'))).toEqual([])
  expect(problems('/x/sub/c.yaml', 'c', watch('in'))).toEqual([])
  expect(problems('/x/sub/d.yaml', 'd', watch('../in'))).toEqual([
    expect.stringMatching(
      /^4:5\S* warning same-folder: a\/drop watches the same files of \.\.\/in \| each file goes to one of/,
    ),
  ])
  expect(problems('/x/e.yaml', 'a')).toEqual([
    expect.stringMatching(
      /^2:1\S* warning same-name: \/x\/a.yaml has the same name, a \| `audience start` runs only one/,
    ),
  ])
})

test('documents that watch some of the same files, by whatever name of the folder', () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'in'))
  symlinkSync('in', join(folder, 'link'))
  symlinkSync(folder, join(folder, 'above'))
  const check = createTogetherCheck()
  const problems = (name: string, path: string, pattern: string) =>
    check(pipelineOf(join(folder, `${name}.yaml`), name, watch(path, pattern))).map(({ message }) => message)
  expect(problems('a', 'in', '*.csv')).toEqual([])
  expect(problems('b', 'in', 'list*.csv')).toEqual(['a/drop watches some of the same files of in'])
  expect(problems('c', 'link', 'list*')).toEqual(['a/drop and b/drop watch some of the same files of link'])
  expect(problems('d', 'above/in', '*.txt')).toEqual(['c/drop watches some of the same files of above/in'])
  // A folder that does not exist yet.
  expect(problems('e', 'new', '*')).toEqual([])
  expect(problems('f', 'above/new', '*')).toEqual(['e/drop watches the same files of above/new'])
})

test('documents that pass the same files on in a circle', () => {
  const check = createTogetherCheck()
  const passing = (name: string, path: string, done: string) =>
    check(pipelineOf(`/x/${name}.yaml`, name, `{ path: ${path}, pattern: "*.csv", done: ${done}, failed: f }`)).map(
      written,
    )
  expect(passing('a', 'in', 'two')).toEqual([])
  expect(passing('b', 'two', 'three')).toEqual([])
  expect(passing('c', 'three', './in')).toEqual([
    expect.stringContaining('files-go-round: files would move in a circle forever: c/drop → a/drop → b/drop → c/drop'),
  ])
})

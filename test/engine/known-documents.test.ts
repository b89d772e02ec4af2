import { expect, test } from 'vitest'
import { knownDocuments } from '../../src/engine/known-documents.ts'
import { pipeline } from '../support/pipelines.ts'

test('the 200 documents that were read last are kept, and no more', () => {
  const read: string[] = []
  const known = knownDocuments(({ file, text }) => {
    read.push(file)
    return pipeline([], { file, text })
  })
  const files = Array.from({ length: 200 }, (_, at) => `${at}.yaml`)
  const readFiles = (...names: string[]) => {
    for (const file of names) known.read({ file, text: '' })
    return read.splice(0)
  }
  expect(readFiles(...files)).toEqual(files)
  expect(readFiles(...files)).toEqual([])
  expect(readFiles('0.yaml', 'one-more.yaml', '0.yaml')).toEqual(['one-more.yaml'])
  expect(readFiles('1.yaml')).toEqual(['1.yaml'])
  known.add({ ...pipeline([]), file: 'added.yaml', text: '' })
  expect(readFiles('added.yaml')).toEqual([])
})

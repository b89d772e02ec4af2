import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'

const folder = resolve(import.meta.dirname, '../../pipelines')

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))('%s has nothing wrong', (name) => {
  const file = join(folder, name)
  const { diagnostics } = loadPipeline({ text: readFileSync(file, 'utf8'), file, stepTypes })
  expect(diagnostics).toEqual([])
})

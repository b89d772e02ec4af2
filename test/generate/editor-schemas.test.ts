import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv, type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { isDocumentName } from '../../src/daemon/documents/find-pipeline-files.ts'
import { generatedFiles } from '../../src/generate/generated-files.ts'
import { WHOLE } from '../rehearsal/fixtures.ts'

const files = await generatedFiles()
const pipelines = resolve(import.meta.dirname, '../../pipelines')
const options = { strict: false, allErrors: true, validateFormats: false }
const isPipeline = new Ajv(options).compile(schemaOf('schemas/pipeline.schema.json'))
const isTest = new Ajv2020(options).compile(schemaOf('schemas/test.schema.json'))
const isConfig = new Ajv2020(options).compile(schemaOf('schemas/config.schema.json'))

test.each(readdirSync(pipelines).filter(isDocumentName))('an editor accepts %s', (file) => {
  const document: unknown = parse(readFileSync(join(pipelines, file), 'utf8'))
  expect(isPipeline(document), JSON.stringify(isPipeline.errors)).toBe(true)
})

test.each(stepsOfPages())('an editor accepts the example of %s', (_, step) => {
  const document = { version: 1, name: 'example', steps: [step] }
  expect(isPipeline(document), JSON.stringify(isPipeline.errors)).toBe(true)
})

test.each([
  ['an unknown key', { id: 'a', uses: 'jobs.get', with: { jobId: '1' }, color: 'red' }],
  ['an unknown step type', { id: 'a', uses: 'jobs.gte', with: { jobId: '1' } }],
  ['an unknown field', { id: 'a', uses: 'jobs.get', with: { jobId: '1', id: '2' } }],
  ['a missing field', { id: 'a', uses: 'jobs.get', with: {} }],
])('an editor marks %s', (_, step) => {
  expect(isPipeline({ version: 1, name: 'example', steps: [step] })).toBe(false)
})

test.each([
  [{ profiles: { staging: { baseUrl: 'https://example.com/p/1', tokenEnv: 'TOKEN' } }, state: '.audience' }, true],
  [{ profile: {} }, false],
])('the configuration %j: %s', (config, isValid) => {
  expect(isConfig(config)).toBe(isValid)
})

test.each([
  ['everything in it', WHOLE, true],
  ['a misspelt event', WHOLE.replace('nights: 14', 'nigths: 14'), false],
  ['a misspelt operation', WHOLE.replace('after: segments.create', 'after: segments.make'), false],
  ['a file that is a number', WHOLE.replace('copy: data/kept.csv', 'copy: 5'), false],
])('a test with %s: an editor accepts it or not', (_, text, isValid) => {
  expect(isTest(parse(text)), JSON.stringify(isTest.errors)).toBe(isValid)
})

function schemaOf(path: string): AnySchema {
  return JSON.parse(files.find((file) => file.path === path)!.text)
}

function stepsOfPages(): [name: string, step: { uses: string }][] {
  const page = files.find(({ path }) => path === 'docs/reference/step-types.md')!.text
  return [...page.matchAll(/```yaml\n([^`]+)```/g)].map((match) => {
    const [step] = parse(match[1]!)
    return [step.uses, step]
  })
}

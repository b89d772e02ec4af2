import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXIT_CODES } from '../../src/core/errors.ts'
import { documentAt } from '../../src/document-at.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { root } from '../support/audience.ts'

const page = join(root, 'docs/pipelines.md')
const text = readFileSync(page, 'utf8')
const blocks = [...text.matchAll(/```yaml\n([^`]+)```/g)].map((match) => match[1]!)
const isOfOtherTools = (block: string) => /^# \.(github|pre-commit)/.test(block)
const [whole = '', ...pieces] = blocks.filter((block) => !isOfOtherTools(block))

test('its first example is a whole document', () => {
  expect(problemsOf(whole)).toEqual([])
})

test.each(pieces.map((piece) => [piece.split('\n')[1]?.trim(), piece]))(
  'the piece with %s is valid after it',
  (_, piece) => {
    expect(problemsOf(completed(piece))).toEqual([])
  },
)

test('what is for other tools is YAML, and names a hook that there is', () => {
  const [preCommit, workflow] = blocks.filter(isOfOtherTools).map((block) => parse(block))
  const hooks = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as { id: string; entry: string }[]
  expect(hooks.map(({ id }) => id)).toContain(preCommit.repos[0].hooks[0].id)
  expect(hooks[0]?.entry).toContain('audience validate --strict')
  expect(workflow.jobs.validate.steps.at(-1).run).toContain('audience validate --strict --format github')
  expect(text).toContain(`exits with 0, or ${EXIT_CODES.invalid} when something is wrong`)
})

test('every link leads to a file that is there', () => {
  const links = [...text.matchAll(/\]\(([^)#:]+)(#[^)]+)?\)/g)].map((match) => match[1]!)
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([])
})

function problemsOf(document: string) {
  const file = join(root, 'pipelines/guide.yaml')
  return loadPipeline({ text: document, file, stepTypes, readDocument: documentAt }).diagnostics
}

/** A document with a piece of one in it: after the steps of the first example, or with steps of its own. */
function completed(piece: string): string {
  const steps = whole.slice(whole.indexOf('  - id: upload'), whole.indexOf('outputs:\n'))
  if (piece.startsWith('  - id:')) {
    const inputs = whole.slice(whole.indexOf('inputs:'), whole.indexOf('steps:'))
    return `version: 1\nname: guide\n${inputs}steps:\n${steps}${piece}`
  }
  const ownSteps = /^steps:/m.test(piece) ? '' : `steps:\n${steps}`
  return `version: 1\nname: guide\n${piece}${ownSteps}`
}

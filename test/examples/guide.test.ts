import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../src/config/load-settings.ts'
import { EXIT_CODES } from '../../src/core/errors.ts'
import { documentAt } from '../../src/document-at.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { root } from '../support/audience.ts'

const page = join(root, 'docs/pipelines.md')
const text = readFileSync(page, 'utf8')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocksOf = (markdown: string) => [...markdown.matchAll(/```yaml\n([^`]+)```/g)].map((match) => match[1]!)
const isOfOtherTools = (block: string) => /^# \.(github|pre-commit)/.test(block)
const [whole = '', ...pieces] = blocksOf(text)

test('its first example is a whole document', () => {
  expect(problemsOf(whole)).toEqual([])
})

test.each(pieces.map((piece) => [piece.split('\n')[1]?.trim(), piece]))(
  'the piece with %s is valid after it',
  (_, piece) => {
    expect(problemsOf(completed(piece))).toEqual([])
  },
)

test('what the README has for other tools is YAML, and names a hook that there is', () => {
  const [preCommit, workflow] = blocksOf(readme)
    .filter(isOfOtherTools)
    .map((block) => parse(block))
  const hooks = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as { id: string; entry: string }[]
  expect(hooks.map(({ id }) => id)).toContain(preCommit.repos[0].hooks[0].id)
  expect(hooks[0]?.entry).toContain('audience validate --strict')
  expect(workflow.jobs.validate.steps.at(-1).run).toContain('audience validate --strict --format github')
  expect(text).toContain(`exits with 0, or ${EXIT_CODES.invalid} when something is wrong`)
})

test.each([
  ['the guide', text, dirname(page)],
  ['the README', readme, root],
])('every link of %s leads to a file that is there', (_name, markdown, folder) => {
  const links = [...markdown.matchAll(/\]\(([^)#:]+)(#[^)]+)?\)/g)].map((match) => match[1]!)
  expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([])
})

test('the README’s pipeline is valid, and its configuration too', () => {
  const [pipeline = '', configuration = ''] = blocksOf(readme).filter((block) => !isOfOtherTools(block))
  expect(problemsOf(pipeline)).toEqual([])
  expect(Object.keys(parseConfig(configuration, 'audience.yaml'))).toEqual(['profiles', 'state'])
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

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../src/config/load-settings.ts'
import { EXIT_CODES } from '../../src/core/errors.ts'
import { documentAt } from '../../src/daemon/documents/document-at.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { root } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const text = pageAt('docs/pipelines.md')
const readme = pageAt('README.md')
const ci = pageAt('docs/ci.md')
const blocksOf = (markdown: string) => [...markdown.matchAll(/```yaml\n([^`]+)```/g)].map((match) => match[1]!)
const isOfOtherTools = (block: string) => /^# \.(github|gitlab|pre-commit)/.test(block)
const [whole = '', ...pieces] = blocksOf(text)
test('its first example is a whole document', () => {
  expect(problemsOf(whole)).toEqual([])
})

const ofConfiguration = pieces.filter((piece) => piece.startsWith('profiles:'))
test('what it shows of audience.yaml is valid', () => {
  expect(ofConfiguration.flatMap((piece) => Object.keys(parseConfig(piece, 'audience.yaml')))).toEqual(['profiles'])
})

const ofDocuments = pieces.filter((piece) => !ofConfiguration.includes(piece))
test.each(ofDocuments.map((piece) => [piece.split('\n')[1]?.trim(), piece]))(
  'the piece with %s is valid after it',
  (_, piece) => {
    expect(problemsOf(completed(piece))).toEqual([])
  },
)

test('what the page about CI has for other tools is YAML, and names a hook that there is', () => {
  const [preCommit, action, gitLab, workflow, plan] = blocksOf(ci)
    .filter(isOfOtherTools)
    .map((block) => parse(block))
  const inputs = Object.keys(parse(readFileSync(join(root, 'deploy/github/action.yml'), 'utf8')).inputs)
  for (const job of [action.jobs.check, plan.jobs.plan]) {
    const [{ with: given }] = job.steps.filter(({ uses }: { uses: string }) => uses.includes('/deploy/github@'))
    expect(inputs).toEqual(expect.arrayContaining(Object.keys(given)))
    // No program of the pull request is started.
    expect(job.steps.filter(({ run }: { run?: string }) => run !== undefined)).toEqual([])
  }
  const template = parse(readFileSync(join(root, gitLab.include.file), 'utf8'))
  expect(Object.keys(template.audience.variables)).toEqual(
    expect.arrayContaining(Object.keys(gitLab.audience.variables)),
  )
  expect(Object.keys(plan.on)).toEqual(['pull_request_target'])
  expect(workflow.permissions).toEqual({ contents: 'read' })
  const hooks = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as { id: string; entry: string }[]
  expect(hooks.map(({ id }) => id)).toContain(preCommit.repos[0].hooks[0].id)
  expect(hooks[0]?.entry).toContain('audience validate --strict')
  const commands = workflow.jobs.validate.steps.map(({ run }: { run?: string }) => run)
  expect(commands.slice(-2)).toEqual(['npm ci', 'npx audience ci pipelines'])
  expect(text).toContain(`exits with 0, or with ${EXIT_CODES.invalid} if something is wrong`)
})

test('what the page about schedules shows is valid', () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'holidays.ics'), 'BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\nEND:VCALENDAR\n')
  const inputs = 'inputs:\n  file: { type: file }\n  day: { type: date }\n'
  const [piece = ''] = blocksOf(pageAt('docs/schedules.md'))
  const document = completed(`${inputs}${piece.replace('inputs:\n', 'inputs:\n      file: list.csv\n')}`)
  expect(problemsOf(document, join(folder, 'guide.yaml'))).toEqual([])
})

test('what the page about lists shows is valid', () => {
  const pieces = blocksOf(pageAt('docs/lists.md'))
  const config = pieces.filter((piece) => /^(sources|privacy|lists):/.test(piece))
  expect(config.flatMap((piece) => Object.keys(parseConfig(piece, 'audience.yaml')))).toContain('sources')
  for (const piece of pieces.filter((each) => !config.includes(each))) {
    expect(problemsOf(completed(piece), join(root, 'pipelines/guide.yaml'))).toEqual([])
  }
})

test('what the page about guards shows is valid', () => {
  const [piece = ''] = blocksOf(pageAt('docs/guards.md'))
  expect(problemsOf(completed(piece))).toEqual([])
})

test('what the page about telling people shows is valid', () => {
  const [configuration = '', rule = ''] = blocksOf(pageAt('docs/notify.md'))
  expect(Object.keys(parseConfig(configuration, 'audience.yaml'))).toEqual(['notify', 'smtp'])
  expect(problemsOf(completed(rule))).toEqual([])
})

test('what the page about people in lists shows is valid', () => {
  const [suppress = '', piece = '', membership = '', ...others] = blocksOf(pageAt('docs/privacy.md'))
  expect(Object.keys(parseConfig(suppress, 'audience.yaml').privacy ?? {})).toEqual(['suppress', 'requirePrepared'])
  expect(Object.keys(parseConfig(membership, 'audience.yaml').privacy ?? {})).toEqual(['membership'])
  expect(problemsOf(`version: 1\nname: guide\ninputs: { file: { type: file } }\nsteps:\n${piece}`)).toEqual([])
  expect(others).toEqual([])
})

test('the README’s pipeline and configuration are valid, and its page stays short', () => {
  const [pipeline = '', configuration = '', ...others] = blocksOf(readme)
  expect(problemsOf(pipeline)).toEqual([])
  expect(Object.keys(parseConfig(configuration, 'audience.yaml'))).toEqual(['profile', 'profiles'])
  expect(others).toEqual([])
  expect(readme.split('\n').length).toBeLessThanOrEqual(150)
})

test('the workflow that audience init writes is that of the page about CI', async () => {
  const cwd = tempFolder()
  await commandLine(['init'], { cwd })
  const written = readFileSync(join(cwd, '.github/workflows/pipelines.yml'), 'utf8')
  expect(blocksOf(ci)).toContain(written)
})

test('audience init names no package that a stranger could publish: the next commands pack the one that wrote it', async () => {
  const cwd = tempFolder()
  const { out } = await commandLine(['init'], { cwd })
  const written = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  expect(written).not.toHaveProperty('dependencies')
  expect(out).toContain(`npm pack --silent --ignore-scripts ${root}`)
  expect(out).toMatch(/npm install \.\/audience-pipelines-\S+\.tgz/)
})

test('what audience init writes as comments into audience.yaml is valid too', async () => {
  const cwd = tempFolder()
  await commandLine(['init'], { cwd })
  const written = readFileSync(join(cwd, 'audience.yaml'), 'utf8')
  const uncommented = written.replace(/^# (?=\S+:$| )/gm, '')
  expect(Object.keys(parseConfig(uncommented, 'audience.yaml'))).toEqual(['profile', 'state', 'profiles', 'notify'])
})

function pageAt(name: string): string {
  return readFileSync(join(root, name), 'utf8')
}

function problemsOf(document: string, file = join(root, 'pipelines/guide.yaml')) {
  return loadPipeline({ text: document, file, stepTypes, readDocument: documentAt }).diagnostics
}

/** A document with this piece in it: after the steps of the first example, or with its own steps. */
function completed(piece: string): string {
  const steps = whole.slice(whole.indexOf('  - id: upload'), whole.indexOf('outputs:\n'))
  const inputs = /^inputs:/m.test(piece) ? '' : whole.slice(whole.indexOf('inputs:'), whole.indexOf('steps:'))
  if (piece.startsWith('  - id:')) return `version: 1\nname: guide\n${inputs}steps:\n${steps}${piece}`
  const ownSteps = /^steps:/m.test(piece) ? '' : `steps:\n${steps}`
  return `version: 1\nname: guide\n${inputs}${piece}${ownSteps}`
}

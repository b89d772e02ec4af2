import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { documentPolicy } from '../../../src/policy/document-policy.ts'
import type { Watch } from '../../../src/triggers/watch/watch.ts'
import { stepTypes } from '../../pipeline/step-types.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until, type Watching, watching } from './watching.ts'

const SHORT = 'settle: 400ms'
const ROUND = 'done or failed is the watched folder itself, so files would be taken again and again'

/** Ways to the watched folder `inbox`, as `name` in the folder of the document. */
const WAYS: Readonly<Record<string, (bench: { readonly folder: string }, name: string) => void>> = {
  'a link': ({ folder }, name) => symlinkSync(join(folder, 'inbox'), join(folder, name)),
  'a relative link': ({ folder }, name) => symlinkSync('./x/../inbox', join(folder, name)),
  'a link to a link': ({ folder }, name) => {
    symlinkSync('inbox', join(folder, 'between'))
    symlinkSync('between', join(folder, name))
  },
}

test.each(
  Object.entries(WAYS).flatMap(([way, lead]) => (['done', 'failed'] as const).map((name) => ({ way, lead, name }))),
)('$name that leads back by $way: nothing is taken, and that is told', async ({ lead, name }) => {
  const bench = watching()
  mkdirSync(join(bench.folder, 'x'))
  lead(bench, name)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  const watcher = bench.start(`${SHORT}, repeat: true`)
  await until(() => watcher.status()[0]?.problem !== undefined)
  expect(watcher.status()[0]?.problem).toBe(ROUND)
  expect(readdirSync(bench.inbox)).toEqual(['a.csv'])
  rmSync(join(bench.folder, name))
  await until(() => bench.names('done').length === 1)
  expect(bench.runs).toHaveLength(1)
  expect(watcher.status()[0]).not.toHaveProperty('problem')
})

test('done that is made a link back to the watched folder while a run goes on: its file waits', async () => {
  const bench = watching()
  bench.ending = undefined
  mkdirSync(join(bench.folder, 'done'))
  const watcher = bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => bench.runs.length === 1)
  renameSync(join(bench.folder, 'done'), join(bench.folder, 'other'))
  symlinkSync('inbox', join(bench.folder, 'done'))
  bench.occurrenceStore.end('run-1', 'succeeded')
  await until(() => watcher.status()[0]?.stuck === 1)
  expect(bench.names('inbox')).toEqual([])
  rmSync(join(bench.folder, 'done'))
  await until(() => bench.names('done').length === 1)
})

function other(bench: Watching, id: string, { path, done }: { readonly path: string; readonly done: string }): Watch {
  const watch = bench.watch(SHORT)
  return { ...watch, trigger: { ...watch.trigger, id, path, done } }
}

test('a chain of triggers passes a file on; a round takes nothing', async () => {
  const bench = watching()
  mkdirSync(join(bench.folder, 'second'))
  symlinkSync('second', join(bench.folder, 'next'))
  const chain = [
    other(bench, 'first', { path: 'inbox', done: 'next' }),
    other(bench, 'then', { path: 'second', done: 'last' }),
  ]
  const watcher = bench.start(SHORT)
  watcher.replace(chain)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => bench.names('last').length === 1)
  expect(bench.runs.map(({ firing }) => firing.trigger.id)).toEqual(['first', 'then'])

  symlinkSync('inbox', join(bench.folder, 'back'))
  watcher.replace([chain[0]!, other(bench, 'then', { path: 'second', done: 'back' })])
  await until(() => watcher.status().every(({ problem }) => problem !== undefined))
  expect(watcher.status().map(({ problem }) => problem)).toEqual([
    'files would go round for ever: drops/first → drops/then → drops/first',
    'files would go round for ever: drops/then → drops/first → drops/then',
  ])
  writeFileSync(join(bench.inbox, 'b.csv'), 'y')
  appendFileSync(join(bench.folder, 'second', 'c.csv'), 'z')
  await until(() => bench.logged.filter(({ error }) => /go round/.test(String(error))).length === 2)
  expect(bench.runs).toHaveLength(2)
})

function problemsOf(folder: string, watches: Readonly<Record<string, string>>): string[] {
  const triggers = Object.entries(watches).map(([id, watch]) => `  - id: ${id}\n    watch: ${watch}\n`)
  const text = `version: 1\nname: p\ntriggers:\n${triggers.join('')}steps:\n  - id: list\n    uses: groups.list\n`
  const policy = documentPolicy({ project: folder, ownEnv: [] })
  return loadPipeline({ text, file: join(folder, 'p.yaml'), stepTypes, policy }).diagnostics.map(
    ({ severity, code, message, at }) => `${at?.line}:${at?.column} ${severity} ${code}: ${message}`,
  )
}

test('validate finds links that lead back', () => {
  const folder = tempFolder()
  for (const name of ['inbox', 'x']) mkdirSync(join(folder, name))
  symlinkSync('inbox', join(folder, 'back'))
  symlinkSync(resolve(folder), join(folder, 'here'))
  const watch = (path: string, done: string) =>
    `{ path: ${path}, pattern: "*.csv", done: ${done}, failed: ${path}/failed }`
  expect(problemsOf(folder, { a: watch('inbox', 'done') })).toEqual([])
  expect(problemsOf(folder, { a: watch('inbox', 'inbox/done') })).toEqual([])
  expect(problemsOf(folder, { a: watch('inbox', 'back') })).toEqual([`5:51 error wrong-value: ${ROUND}`])
  expect(problemsOf(folder, { a: watch('inbox', 'here/here/inbox') })).toEqual([`5:51 error wrong-value: ${ROUND}`])
  expect(problemsOf(folder, { a: watch('inbox', 'x'), b: watch('x', 'done') })).toEqual([])
  expect(problemsOf(folder, { a: watch('inbox', 'x'), b: watch('x', 'back') })).toEqual([
    '5:51 error wrong-value: files would go round for ever: a → b → a',
    '7:47 error wrong-value: files would go round for ever: b → a → b',
  ])
  // A link that leads to itself is no folder, and stops nobody.
  symlinkSync('loop', join(folder, 'loop'))
  expect(problemsOf(folder, { a: watch('inbox', 'loop') })).toEqual([])
})

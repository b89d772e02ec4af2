import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { documentPolicy } from '../../../src/policy/document-policy.ts'
import { startWatcher } from '../../../src/triggers/watch/start-watcher.ts'
import type { Watch } from '../../../src/triggers/watch/watch.ts'
import { stepTypes } from '../../pipeline/step-types.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { tries } from '../../support/tries.ts'
import { depsOf, until, type Watching, watching } from './watching.ts'

const SHORT = 'settle: 400ms'
const ROUND = 'done or failed is the watched folder itself, so files would be taken again and again'

/** Links that lead to the watched folder `inbox`, as `name` in the folder of the document. */
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
  expect(watcher.status()[0]?.problem).toBeUndefined()
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
    'files would move in a circle forever: drops/first → drops/then → drops/first',
    'files would move in a circle forever: drops/then → drops/first → drops/then',
  ])
  writeFileSync(join(bench.inbox, 'b.csv'), 'y')
  appendFileSync(join(bench.folder, 'second', 'c.csv'), 'z')
  await until(() => bench.logged.filter(({ error }) => /move in a circle/.test(String(error))).length === 2)
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

test('validate warns of triggers that take the same files', () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'inbox'))
  symlinkSync('inbox', join(folder, 'link'))
  const watch = (path: string, pattern: string, done = 'done') =>
    `{ path: ${path}, pattern: "${pattern}", done: ${done}, failed: ${done}/failed }`
  expect(problemsOf(folder, { a: watch('inbox', '*.csv'), b: watch('inbox', '*.txt') })).toEqual([])
  expect(problemsOf(folder, { a: watch('inbox', '*.csv'), b: watch('inbox', 'a*') })).toEqual([
    '7:20 warning same-folder: a watches some of the same files of inbox',
  ])
  expect(problemsOf(folder, { a: watch('inbox', '*.csv'), b: watch('link', '*.csv') })).toEqual([
    '7:20 warning same-folder: a watches the same files of link',
  ])
})

test('the log warns once of triggers that take the same files, also if the second comes later', async () => {
  const bench = watching()
  symlinkSync('inbox', join(bench.folder, 'link'))
  const watcher = bench.start(SHORT)
  const first = bench.watch(SHORT)
  const second = other(bench, 'second', { path: 'link', done: 'other' })
  watcher.replace([first, second])
  const warnings = () => bench.logged.filter(({ message }) => /same files/.test(String(message)))
  await until(() => warnings().length === 2)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => bench.runs.length === 1 && watcher.status().every(({ waiting }) => waiting === 0))
  const told = warnings().map(({ message, folder }) => [message, folder])
  expect(told.sort()).toEqual([
    [`drops/drop: drops/second watches the same files of ${bench.inbox}`, bench.inbox],
    [`drops/second: drops/drop watches the same files of ${join(bench.folder, 'link')}`, join(bench.folder, 'link')],
  ])
})

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
    '5:51 error wrong-value: files would move in a circle forever: a → b → a',
    '7:47 error wrong-value: files would move in a circle forever: b → a → b',
  ])
  // A link that leads to itself is not a folder and does no harm.
  symlinkSync('loop', join(folder, 'loop'))
  expect(problemsOf(folder, { a: watch('inbox', 'loop') })).toEqual([])
})

/**
 * Paths of one folder: the plain one, one through another folder, a link, a link to a link, and one below a link to its
 * parent.
 */
const NAMES = ['own', 'roundabout', 'link', 'linked link', 'below a link'] as const

function nameOf(place: string, way: (typeof NAMES)[number]): string {
  if (way === 'own') return `real/${place}`
  if (way === 'roundabout') return `real/../real/./${place}/`
  if (way === 'link') return `${place}-link`
  return way === 'linked link' ? `${place}-linked` : `above/real/${place}`
}

interface Arrow {
  readonly from: string
  readonly to: string
}

/** Whether files that follow an arrow come back to its start. */
function comesBack(arrow: Arrow, all: readonly Arrow[]): boolean {
  const reached = new Set([arrow.to])
  for (const place of reached) for (const { from, to } of all) if (from === place) reached.add(to)
  return reached.has(arrow.from)
}

test('whatever leads where, by whatever names and in whatever order: what would go round is never taken', async () => {
  const place = fc.constantFrom('p', 'q', 'r', 's')
  const way = fc.constantFrom(...NAMES)
  const arrow = fc.record({ from: place, to: place, fromWay: way, toWay: way })
  const cases = fc.record({
    arrows: fc.array(arrow, { minLength: 2, maxLength: 5 }),
    isThere: fc.boolean(),
    atOnce: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ arrows, isThere, atOnce }) => {
      const bench = watching()
      const at = (...names: string[]) => join(bench.folder, ...names)
      mkdirSync(at('real'))
      symlinkSync(bench.folder, at('above'))
      for (const name of ['p', 'q', 'r', 's']) {
        if (isThere) mkdirSync(at('real', name))
        symlinkSync(join('real', name), at(`${name}-link`))
        symlinkSync(at(`${name}-link`), at(`${name}-linked`))
      }
      const { trigger, ...watch } = bench.watch('settle: 0s, repeat: true')
      const watches = arrows.map(({ from, to, fromWay, toWay }, index) => {
        const own = { id: `t${index}`, path: nameOf(from, fromWay), done: nameOf(to, toWay), failed: `failed${index}` }
        return { ...watch, trigger: { ...trigger, ...own } }
      })
      const put = () => {
        for (const name of ['p', 'q', 'r', 's']) {
          mkdirSync(at('real', name), { recursive: true })
          writeFileSync(at('real', name, 'a.csv'), name)
        }
      }
      if (isThere && atOnce) put()
      const watcher = startWatcher(depsOf(bench))
      try {
        if (!atOnce) for (const count of watches.keys()) watcher.replace(watches.slice(0, count))
        watcher.replace(watches)
        put()
        const goesRound = arrows.map((each) => comesBack(each, arrows))
        await until(() => watcher.status().every(({ problem }, index) => !goesRound[index] || problem !== undefined))
        const ran = bench.runs.map(({ firing }) => Number(firing.trigger.id.slice(1)))
        expect(ran.filter((index) => goesRound[index])).toEqual([])
      } finally {
        await watcher.stop()
      }
    }),
    { numRuns: tries(15, 500) },
  )
})

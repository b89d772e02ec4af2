// npm run mutants -- --folder engine --sample 20 --seed 1, or with files: makes small changes to the code, and checks
// whether a test notices.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench, type Results } from './bench.ts'
import { relatedTests } from './related-tests.ts'
import { type Change, filesOf, sample, show } from './sample.ts'
import { withSwitches } from './with-switches.ts'

const FOLDERS = [
  'engine',
  'state',
  'steps',
  'adapter',
  'lists',
  'triggers',
  'policy',
  'notifications',
  'console/server',
]
/** How long a test file may take without a change, and how many times longer with one. */
const UNCHANGED_MS = 600_000
const TIMES_AS_LONG = 4
/**
 * If a file fails this much later than it ends without a change, or does not end in time, it may be late because the
 * machine is busy.
 */
const LATE_MS = 25_000
/** How much longer a file may take when it runs once more, alone. */
const ALONE_MS = 180_000
/** The effects of these are shared by all test runs: PostgreSQL's tables are made only once. */
const MADE_ONCE = /\/migrations\.ts$/

type GroupedChange = Change & { readonly group: string }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', multiple: true },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** Only the nearest tests: others may notice what these miss. */
    near: { type: 'boolean', default: false },
    at: { type: 'string', default: '2' },
    results: { type: 'string', default: 'test-results/mutants.txt' },
  },
})
const root = resolve(import.meta.dirname, '../..')
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

const sources = new Map<string, string>()
const testsOf = relatedTests(root)
const groups =
  positionals.length > 0 ? positionals.map((file) => relative(root, resolve(file))) : (values.folder ?? FOLDERS)
const changes: readonly GroupedChange[] = groups.flatMap((group) => {
  const files = positionals.length > 0 ? [group] : filesOf(root, group)
  return sample(files, { seed: values.seed, size: Number(values.sample), sourceOf }).map((one) => ({ ...one, group }))
})
const mutants = new Map(changes.map((change, at) => [at, change]))
const benches = Array.from({ length: Number(values.at) }, () => new Bench(root, ending.signal))
/** The results of test files without a change, and `at file` for each change that they reach. */
const unchanged = new Map<string, { readonly isUsed: boolean; readonly ms: number }>()
const reached = new Set<string>()
try {
  await Promise.all(benches.map((bench) => bench.load(textsFor(bench))))
  for (const group of groups) await tryGroup(group, changes.filter((change) => change.group === group).length)
} catch (error) {
  if (!ending.signal.aborted) throw error
  process.exitCode = 130
} finally {
  for (const bench of benches) bench.remove()
}

async function tryGroup(group: string, size: number): Promise<void> {
  let left = changes.filter((change) => change.group === group)
  let noticed = 0
  for (const stage of values.near ? (['nearest', 'near'] as const) : (['nearest', 'near', 'far'] as const)) {
    if (left.length === 0) return
    const testsOfStage = ({ file }: Change) => testsOf(file)[stage]
    await runUnchanged(left.flatMap(testsOfStage))
    const survivors: GroupedChange[] = []
    let tried = size - left.length
    await inTurn(left, async (bench, change) => {
      const how = await noticedBy(bench, change, testsOfStage(change))
      if (how === undefined) survivors.push(change)
      else noticed += 1
      tried += 1
      const score = `${group} (seed ${values.seed}): ${noticed} of ${tried} noticed`
      say(`${score} · ${how ?? `SURVIVED those that are ${stage}`} · ${show(change)}`)
    })
    left = survivors
  }
}

/** Each bench takes the next remaining thing. */
async function inTurn<T>(things: readonly T[], act: (bench: Bench, thing: T) => Promise<void>): Promise<void> {
  const left = things.values()
  await Promise.all(
    benches.map(async (bench) => {
      for (const thing of left) await act(bench, thing)
    }),
  )
}

/** Also finds which tests reach which change. Tests that fail without any change are not used. */
async function runUnchanged(tests: readonly string[]): Promise<void> {
  const files = [...new Set(tests)].filter((file) => !unchanged.has(file))
  if (files.length === 0) return
  const startedAt = performance.now()
  // A few at a time, so that all benches end at about the same moment.
  const parts = Array.from({ length: Math.ceil(files.length / 6) }, (_, at) => files.slice(at * 6, at * 6 + 6))
  await inTurn(parts, async (bench, part) => {
    const { files: ended, trouble } = await bench.run(part, { mutant: 'noting', fileMs: UNCHANGED_MS, isToBail: false })
    if (trouble !== undefined) say(`Without a change: ${trouble}, in one of ${part.join(', ')}`)
    for (const file of part) {
      const result = ended.find((one) => one.file === file)
      const isUsed = result !== undefined && !result.hasFailed
      if (!isUsed) say(`Left out, because it fails without a change: ${file}`)
      unchanged.set(file, { isUsed, ms: result?.ms ?? 0 })
    }
    for (const line of bench.reached()) reached.add(line)
  })
  say(`Ran ${files.length} files of tests without a change in ${Math.round((performance.now() - startedAt) / 1000)} s.`)
}

/** Whether and how the tests that reach the change notice it. The fastest tests run first. */
async function noticedBy(bench: Bench, change: GroupedChange, tests: readonly string[]): Promise<string | undefined> {
  const at = changes.indexOf(change)
  const msOf = (file: string) => unchanged.get(file)?.ms ?? 0
  const reaches = (file: string) => reached.has(`${at} ${file}`) || reached.has(`${at} `)
  const files = tests.filter((file) => unchanged.get(file)?.isUsed && reaches(file)).sort((a, b) => msOf(a) - msOf(b))
  if (files.length === 0) return undefined
  const fileMs = TIMES_AS_LONG * Math.max(...files.map(msOf))
  if (MADE_ONCE.test(change.file)) bench.restart()
  const how = await noticedIn(bench, change, { files, fileMs, msOf })
  if (MADE_ONCE.test(change.file)) bench.restart()
  return how
}

/** A file that was late runs once more, alone and with more time, and only that run counts. */
async function noticedIn(
  bench: Bench,
  change: GroupedChange,
  { files, fileMs, msOf }: { files: readonly string[]; fileMs: number; msOf: (file: string) => number },
): Promise<string | undefined> {
  const mutant = changes.indexOf(change)
  for (let left = files; left.length > 0; ) {
    const results = await bench.run(left, { mutant, fileMs, isToBail: true })
    const how = howNoticed(results, left)
    const late = lateOne(results, left, msOf)
    if (late === undefined) return how
    const alone = await bench.run([late], { mutant, fileMs: fileMs + ALONE_MS, isToBail: true })
    const howAlone = howNoticed(alone, [late])
    if (howAlone !== undefined) return `${howAlone}, once more alone after it was late (${how})`
    say(`Not ${how}: that was late, and passes alone · ${show(change)}`)
    left = left.slice(left.indexOf(late) + 1)
  }
  return undefined
}

/** The file that did not end in time, or that failed much later than its time without a change. */
function lateOne(
  { files: ended, trouble }: Results,
  files: readonly string[],
  msOf: (file: string) => number,
): string | undefined {
  const failed = ended.find(({ hasFailed }) => hasFailed)
  if (failed) return failed.ms - msOf(failed.file) > LATE_MS ? failed.file : undefined
  return trouble === 'hung' ? (openOne(ended, files) ?? files.at(-1)) : undefined
}

function howNoticed({ files: ended, trouble }: Results, files: readonly string[]): string | undefined {
  const failed = ended.find(({ hasFailed }) => hasFailed)
  if (failed) return `noticed by ${failed.file}`
  if (trouble !== undefined) return `noticed: ${trouble} in ${openOne(ended, files) ?? 'one of them'}`
  return undefined
}

/** The first file that has not ended. */
function openOne(ended: Results['files'], files: readonly string[]): string | undefined {
  return files.find((file) => !ended.some((one) => one.file === file))
}

/** The sources with all changes in them, all switched off. */
function textsFor(bench: Bench): ReadonlyMap<string, string> {
  const switchFile = join(bench.copy, 'test/mutants/mutant-switch.ts')
  const files = new Set(changes.map(({ file }) => file))
  return new Map(
    [...files].map((file) => {
      const inIt = new Map([...mutants].filter(([, change]) => change.file === file))
      return [file, withSwitches(sourceOf(file), inIt, switchFile)]
    }),
  )
}

/** Also writes the line to a file, so that a run that is stopped keeps its results. */
function say(line: string): void {
  console.log(line)
  const file = resolve(root, values.results)
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${line}\n`)
}

/** The source as it was at the beginning, because somebody may have changed the file since then. */
function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
  sources.set(file, source)
  return source
}

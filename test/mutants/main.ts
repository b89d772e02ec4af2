// npm run mutants -- --folder engine --sample 60 --seed 1, or with files: small changes of the code, and whether a test notices.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type Mutant, makeMutants } from './make-mutants.ts'
import { relatedTests, testsOfBuild } from './related-tests.ts'
import { runTests, type TestFile } from './run-tests.ts'

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
/** All else of the tree is copied: tests read more than the source. */
const NOT_COPIED = new Set(['.git', 'node_modules', 'test-results'])
/** No limit is shorter: a busy machine is no hang. */
const LEAST_MS = 30_000

interface Change extends Mutant {
  readonly file: string
  readonly folder: string
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', multiple: true },
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
})
const root = resolve(import.meta.dirname, '../..')
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

const ofBuild = testsOfBuild(root)
const sources = new Map<string, string>()
const changes =
  positionals.length > 0 ? positionals.flatMap(sampleOfFile) : (values.folder ?? FOLDERS).flatMap(sampleOfFolder)
const copy = copyTree()
try {
  await tryAll()
} catch (error) {
  if (!ending.signal.aborted) throw error
  process.exitCode = 130
} finally {
  rmSync(copy, { recursive: true, force: true })
}

async function tryAll(): Promise<void> {
  const testsOf = relatedTests(root)
  const files = [...new Set(changes.flatMap(({ file }) => testsOf(file)))]
  console.log(`Running ${files.length} files of tests once, to see which of them reach which change.`)
  const reached = await runWithProbes(files)
  const survivors: Change[] = []
  for (const [at, one] of changes.entries()) {
    const tests = reached(at, testsOf(one.file))
    const isNoticed = tests.length > 0 && (await notices(one, tests))
    if (!isNoticed) survivors.push(one)
    const what = isNoticed ? 'noticed ' : tests.length > 0 ? 'SURVIVED' : 'UNTESTED'
    console.log(`${at + 1}/${changes.length} ${what} ${show(one)}`)
  }
  for (const folder of new Set(changes.map((one) => one.folder))) {
    const all = changes.filter((one) => one.folder === folder).length
    const noticed = all - survivors.filter((one) => one.folder === folder).length
    console.log(`${folder}: ${noticed} of ${all} noticed (${Math.round((100 * noticed) / all)} %)`)
  }
}

/** Which tests reach a change, quickest first. Tests that fail without any change are left out. */
async function runWithProbes(files: readonly string[]) {
  const note = join(copy, 'reached')
  writeFileSync(note, '')
  const changed = new Set(changes.map(({ file }) => file))
  for (const file of changed) write(file, withProbes(file))
  await build()
  const env = { NODE_OPTIONS: `--import=${join(copy, 'test/mutants/note-reached.ts')}`, MUTANTS_REACHED: note }
  const { files: ran } = await runTests(copy, files, { env, isWhole: true, limitMs: 3_600_000, signal: ending.signal })
  for (const file of changed) write(file, sourceOf(file))
  const reached = new Set(readFileSync(note, 'utf8').split('\n'))
  const failing = files.filter((name) => !ran.some(({ file, hasFailed }) => file === name && !hasFailed))
  if (failing.length > 0) console.log(`Left out, because they fail without a change: ${failing.join(', ')}`)
  return (at: number, tests: readonly string[]): readonly TestFile[] => {
    const isUsed = ({ file, hasFailed }: TestFile) => !hasFailed && tests.includes(file) && reached.has(`${at} ${file}`)
    return ran.filter(isUsed).sort((a, b) => a.ms - b.ms)
  }
}

/** Most changes are noticed by a test that needs no build, which takes longer than many tests. */
async function notices(one: Change, tests: readonly TestFile[]): Promise<boolean> {
  const source = sourceOf(one.file)
  write(one.file, source.slice(0, one.start) + one.text + source.slice(one.end))
  const [needBuild = [], others = []] = [true, false].map((does) =>
    tests.filter(({ file }) => ofBuild.has(file) === does),
  )
  try {
    if (await someFail(others)) return true
    if (needBuild.length === 0) return false
    await build()
    return await someFail(needBuild)
  } finally {
    write(one.file, source)
  }
}

async function someFail(tests: readonly TestFile[]): Promise<boolean> {
  if (tests.length === 0) return false
  const limitMs = LEAST_MS + 2 * tests.reduce((sum, { ms }) => sum + ms, 0)
  const names = tests.map(({ file }) => file)
  const { isHung, files } = await runTests(copy, names, { limitMs, signal: ending.signal })
  // Without any result the change ended the process.
  return isHung || files.length === 0 || files.some(({ hasFailed }) => hasFailed)
}

/** Tests start processes of `dist/`: the command, and the program for lists. */
async function build(): Promise<void> {
  await promisify(execFile)('npm', ['run', '-s', 'build'], { cwd: copy, signal: ending.signal })
}

function withProbes(file: string): string {
  const insertions = changes.flatMap((one, at) =>
    one.file === file
      ? one.reachedBy.flatMap(({ start, end }) =>
          end === undefined
            ? [{ at: start, text: `globalThis.mutantReached?.(${at});` }]
            : [
                { at: start, text: `(globalThis.mutantReached?.(${at}), ` },
                { at: end, text: ')' },
              ],
        )
      : [],
  )
  let text = sourceOf(file)
  for (const { at, text: inserted } of insertions.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + inserted + text.slice(at)
  return text
}

function write(file: string, text: string): void {
  writeFileSync(join(copy, file), text)
}

function sampleOfFolder(folder: string): Change[] {
  const files = readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('src', folder, name))
  return sample(files, folder)
}

function sampleOfFile(file: string): Change[] {
  const name = relative(root, resolve(file))
  return sample([name], name)
}

/** The same for the same seed, and for what has not changed since. */
function sample(files: readonly string[], folder: string): Change[] {
  const all = files.flatMap((file) => makeMutants(sourceOf(file)).map((mutant) => ({ ...mutant, file, folder })))
  const order = (one: Change) =>
    createHash('sha256').update(`${values.seed} ${one.file} ${one.start} ${one.end} ${one.text}`).digest('hex')
  const ordered = all.map((one) => ({ one, key: order(one) })).sort((a, b) => (a.key < b.key ? -1 : 1))
  const chosen = ordered.slice(0, Number(values.sample)).map(({ one }) => one)
  console.log(`${folder}: ${chosen.length} of ${all.length} changes`)
  return chosen.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start))
}

function show({ file, start, end, text }: Change): string {
  const source = sourceOf(file)
  const brief = (part: string) => (part.length > 80 ? `${part.slice(0, 77)}…` : part).replaceAll(/\s+/g, ' ')
  return `${file}:${source.slice(0, start).split('\n').length}: ${brief(source.slice(start, end))} → ${brief(text)}`
}

/** As it was at first: somebody may go on working on it meanwhile. */
function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
  sources.set(file, source)
  return source
}

/** Only what is read: the copy shares the packages. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'audience-mutants-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o711)
  for (const name of readdirSync(root).filter((each) => !NOT_COPIED.has(each)))
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

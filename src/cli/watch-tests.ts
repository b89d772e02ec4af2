import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import { Debouncer } from '../daemon/documents/debouncer.ts'
import { referencedFiles } from '../pipeline/referenced-files.ts'
import type { TestDocument } from '../rehearsal/test-document.ts'
import { pipelinesBefore, projectOf, readTestFile, testDeps } from '../rehearsal/test-project.ts'
import { stepTypes } from '../steps/index.ts'
import { type FolderEvents, watchFolders } from '../triggers/watch/folder-events.ts'
import { readTests, runTests, type TestFlags } from './run-tests.ts'
import { type Terminal, untilInterrupt } from './terminal.ts'

/** How often all files are checked, because not every file system reports changes, and a folder may be new. */
const LOOK_EVERY_MS = 2_000
const CLEAR = '\u001b[H\u001b[2J'

/**
 * Runs tests, then reruns those whose files have changed: the test file, its pipeline, the files that the pipeline
 * names, the pipelines that it comes after, or audience.yaml. Ends with 0 on an interrupt. `find` finds the test files;
 * it throws an AudienceError if there are none.
 */
export async function watchTests(
  find: () => readonly string[],
  flags: TestFlags & { jobs: number },
  terminal: Terminal,
): Promise<number> {
  const { out, cwd, surroundings } = terminal
  using interrupted = untilInterrupt(terminal)
  const { signal } = interrupted
  terminal.whenUnread('end')
  const changes = new Debouncer(surroundings.clock, signal)
  const events = watchFolders({ changed: () => changes.disturb(), failed: () => undefined }, surroundings.clock)
  const watched = new WatchedFiles(events)
  const say = (text: string) => (flags.json ? undefined : out.write(text))
  try {
    for (let files = find(); ; files = foundBy(find)) {
      const paths = files.map((file) => resolve(cwd, file))
      const gone = watched.gone(paths)
      const changed = watched.changed(paths)
      if (changed.size + gone.length > 0) {
        if (out.isTTY) say(CLEAR)
        const tell = (what: string, names: readonly string[]) =>
          names.length > 0 && say(`${what}: ${names.map((name) => relative(cwd, name)).join(', ')}\n`)
        tell('changed', [...new Set([...changed.values()].flat())])
        tell('gone', gone)
        await runChanged([...changed.keys()], flags, terminal, signal)
        if (!signal.aborted) say('waiting for changes; press Ctrl-C to stop\n')
      }
      if (!(await changes.next(LOOK_EVERY_MS))) return 0
    }
  } finally {
    await events.close()
  }
}

/** Reports files with errors. They do not keep the other files from running. */
async function runChanged(
  files: readonly string[],
  flags: TestFlags & { jobs: number },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  try {
    const tests = files.flatMap((file) => readTests([file], flags, terminal) ?? [])
    const wanted = tests.filter((test) => test.wanted > 0)
    if (wanted.length > 0) await runTests(wanted, flags, terminal, { jobs: flags.jobs, signal })
  } catch (error) {
    // An unusable audience.yaml, or a file that has just disappeared: the next change may repair it.
    if (!(error instanceof AudienceError)) throw error
    terminal.out.write(`${error.message}\n`)
  }
}

/** The last test file may disappear while somebody is working. */
function foundBy(find: () => readonly string[]): readonly string[] {
  try {
    return find()
  } catch (error) {
    if (error instanceof AudienceError) return []
    throw error
  }
}

/** The files that the tests of each test file used in their last run. */
class WatchedFiles {
  readonly #events: FolderEvents
  readonly #known = new Map<string, ReadonlyMap<string, string>>()
  readonly #folders = new Set<string>()

  constructor(events: FolderEvents) {
    this.#events = events
  }

  /** The test files that no longer exist. */
  gone(files: readonly string[]): readonly string[] {
    const gone = [...this.#known.keys()].filter((file) => !files.includes(file))
    for (const file of gone) this.#known.delete(file)
    return gone
  }

  /** The test files to run: new ones, and ones with changes, each with what has changed. */
  changed(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>()
    for (const file of files) {
      const before = this.#known.get(file)
      const differing = [...(before ?? [])].filter(([path, stamp]) => stampOf(path) !== stamp).map(([path]) => path)
      if (before && differing.length === 0) continue
      found.set(file, differing)
      this.#known.set(file, new Map(filesOf(file).map((path) => [path, stampOf(path)])))
    }
    const paths = [...this.#known.values()].flatMap((known) => [...known.keys()])
    // The folders above a project change all the time, so only audience.yaml is checked there.
    this.#watch(new Set(paths.filter((path) => basename(path) !== CONFIG).map((path) => dirname(path))))
    return found
  }

  #watch(folders: ReadonlySet<string>): void {
    for (const folder of folders) {
      if (this.#folders.has(folder) || stampOf(folder) === ABSENT) continue
      this.#folders.add(folder)
      this.#events.add(folder)
    }
  }
}

/** The files that tests depend on. For a test file with errors, everything next to it. */
function filesOf(file: string): readonly string[] {
  try {
    const root = projectOf(file)
    const document = readTestFile(file, root)
    const { pipeline } = document
    const seen = new Set<string>()
    const pipelines = [pipeline, ...pipelinesBefore(pipeline, root)].flatMap((path) => pipelineFiles(path, root, seen))
    const named = [...filesNamedBy(document), ...pipelines]
    return [...new Set([file, ...configsOf(file), ...named])]
  } catch (error) {
    if (!(error instanceof AudienceError)) throw error
    const folder = dirname(file)
    const beside = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
    return [...new Set([file, ...configsOf(file), ...beside])]
  }
}

const CONFIG = 'audience.yaml'

/** Each path at which an audience.yaml applies to a file, or would apply if it existed. */
function configsOf(file: string): readonly string[] {
  const folder = dirname(file)
  return folder === file ? [] : [join(folder, CONFIG), ...configsOf(folder)]
}

function filesNamedBy({ given, tests }: TestDocument): readonly string[] {
  const changes = tests
    .flatMap(({ events }) => events)
    .flatMap(({ act, change }) => {
      return [...change.values(), ...(act.kind === 'drop' ? act.files.values() : [])]
    })
  const copies = [...given.files.values(), ...changes].flatMap((spec) => (spec && 'copy' in spec ? [spec.copy] : []))
  return given.service.network === undefined ? copies : [...copies, given.service.network]
}

function pipelineFiles(path: string, root: string, seen: Set<string>): readonly string[] {
  if (seen.has(path)) return []
  seen.add(path)
  const found = testDeps(root).readPipeline(path, undefined)
  const pipeline = found && 'pipeline' in found ? found.pipeline : undefined
  const { files = [], pipelines = [] } = pipeline ? referencedFiles(pipeline, stepTypes) : {}
  return [path, ...files, ...pipelines.flatMap((other) => pipelineFiles(other, root, seen))]
}

const ABSENT = 'absent'

/** A text that differs if a file has changed. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ABSENT
}

import { realpathSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'
import { usageError } from '../../core/errors.ts'
import { formatTimeLimit } from '../../core/format/duration-text.ts'
import { isGitAtWork } from '../../platform/find-repository.ts'
import { Debouncer } from './debouncer.ts'
import { isDocumentName, isHidden } from './find-pipeline-files.ts'
import { isSameDocuments, type LiveDocument, type PipelinesProblem, type ReadDocument } from './live-documents.ts'
import { PipelineDocuments } from './pipeline-documents.ts'

/**
 * How often all files are checked. Not every file system reports changes, and the target of a link changes elsewhere.
 */
const LOOK_EVERY_MS = 60_000
/** How soon the next check follows while a document is missing. */
const LOOK_FOR_AWAY_MS = 1000
/**
 * A folder is read once nothing has changed for this long, because a pull or an rsync over a slow line pauses in
 * between.
 */
const QUIET_MS = 1000
/** A folder that changes for longer than this is read anyway, as it is. */
const LONGEST_CHANGE_MS = 60_000

/** The pipelines that the daemon runs, from the documents of a folder. */
export interface PipelinesFolder {
  /** By the name of the pipeline. An unchanged document is the same object as before. */
  documents(): ReadonlyMap<string, LiveDocument>
  /** The problems that a person must fix. */
  problems(): readonly PipelinesProblem[]
  /** No change is reported afterwards. */
  close(): Promise<void>
}

/**
 * Reads all documents below a folder, and again when they change. Resolves after all were read once. From then on, it
 * calls `onChange` with all documents whenever one was added, changed or removed. Changes are handled together, once
 * the folder is quiet and git has finished. A document that becomes invalid keeps its last valid version, and one that
 * is missing for some seconds stays in use. Rejects if the folder does not exist.
 */
export async function watchPipelinesFolder(deps: {
  /** Absolute path. */
  folder: string
  read: ReadDocument
  onChange: (documents: ReadonlyMap<string, LiveDocument>) => void
  clock: SteadyClock
  log: Logger
}): Promise<PipelinesFolder> {
  const { folder, onChange, clock, log } = deps
  requireFolder(folder)
  const state = new PipelineDocuments(folder, deps.read, clock.steady)
  const closing = new AbortController()
  const quiet = new Debouncer(clock, closing.signal, { quietMs: QUIET_MS, maxWaitMs: LONGEST_CHANGE_MS })
  const realFolder = realpathSync(folder)
  const watcher = watchFiles(realFolder, () => quiet.disturb(), log)

  /** Reads all documents as they are between two changes. */
  async function readWhole(): Promise<void> {
    const since = clock.steady()
    const mayWait = () => !closing.signal.aborted && clock.steady() - since < LONGEST_CHANGE_MS
    while (mayWait()) {
      if (!(await isGitAtWork(realFolder, clock.now())) && (await state.scanIfStill())) return
      await clock.sleep(QUIET_MS, closing.signal).catch(() => undefined)
    }
    if (closing.signal.aborted) return
    log.warn({ folder }, 'the pipelines folder keeps changing: it is read as it is now')
    await state.scan()
  }

  async function look(): Promise<void> {
    const before = { documents: state.documents, problems: state.problems }
    await readWhole()
    if (closing.signal.aborted) return
    logDocuments(before, state, log)
    if (!isSameDocuments(before.documents, state.documents)) onChange(state.documents)
  }

  async function follow(): Promise<void> {
    while (await quiet.next(state.isSomeAway ? LOOK_FOR_AWAY_MS : LOOK_EVERY_MS)) {
      // An error here must not end the checks: the documents in use stay, and the next check tries again.
      await look().catch((error: unknown) => log.error({ err: error }, 'the pipelines folder cannot be read'))
    }
  }

  try {
    await readWhole()
  } catch (error) {
    await watcher.close()
    throw error
  }
  log.info({ folder, pipelines: state.documents.size, problems: state.problems.length }, 'the pipelines have been read')
  logDocuments({ documents: state.documents, problems: [] }, state, log)
  const following = follow()
  return {
    documents: () => state.documents,
    problems: () => state.problems,
    async close() {
      closing.abort()
      await Promise.all([watcher.close(), following])
    },
  }
}

function watchFiles(folder: string, notice: () => void, log: Logger): FSWatcher {
  const isIgnored = (path: string, stats?: { isFile(): boolean }) => {
    const inside = relative(folder, path)
    return inside !== '' && (inside.split(sep).some(isHidden) || (stats?.isFile() === true && !isDocumentName(path)))
  }
  const watcher = watch(folder, { ignoreInitial: true, followSymlinks: false, ignored: isIgnored })
  watcher.on('all', notice)
  // Changes between the first check and now were not reported.
  watcher.on('ready', notice)
  watcher.on('error', (error) => {
    log.warn({ err: error, folder }, `changes to the pipelines may be noticed ${formatTimeLimit(LOOK_EVERY_MS)} late`)
  })
  return watcher
}

/** Throws a usage error if there is no folder to read pipelines from. */
export function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  throw usageError(
    'no-pipelines-folder',
    `there is no folder ${folder} to read pipelines from`,
    'make it, or name another with `pipelines` in audience.yaml; `audience init` makes one with an example',
  )
}

interface Documents {
  readonly documents: ReadonlyMap<string, LiveDocument>
  readonly problems: readonly PipelinesProblem[]
}

/** Logs what has changed, one line for each document. */
function logDocuments(before: Documents, now: Documents, log: Logger): void {
  for (const [pipeline, document] of now.documents) {
    const earlier = before.documents.get(pipeline)
    if (earlier === document) continue
    const facts = { pipeline, file: document.file, digest: document.pipeline.digest }
    log.info(facts, earlier ? 'a pipeline has changed' : 'a pipeline is new')
  }
  for (const [pipeline, { file }] of before.documents) {
    if (!now.documents.has(pipeline))
      log.info({ pipeline, file }, 'a pipeline is gone: its triggers start no more runs')
  }
  logProblems(before.problems, now.problems, log)
}

function logProblems(before: readonly PipelinesProblem[], now: readonly PipelinesProblem[], log: Logger): void {
  const logged = new Set(before.map(textOf))
  for (const problem of now) {
    if (logged.has(textOf(problem))) continue
    const { file, messages, keepsLast } = problem
    log.error(
      { file, problems: messages },
      keepsLast ? 'not valid: the last valid version stays in use' : 'not valid: it is not run',
    )
  }
  const left = new Set(now.map(({ file }) => file))
  for (const file of new Set(before.map(({ file }) => file))) if (!left.has(file)) log.info({ file }, 'valid again')
}

function textOf({ file, messages, keepsLast }: PipelinesProblem): string {
  return JSON.stringify([file, messages, keepsLast])
}

import { randomUUID } from 'node:crypto'
import { type FileHandle, readdir, rm, stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join, sep } from 'node:path'
import type { FileSignal } from '../contract/enumerations.ts'
import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { codeOf } from '../core/code-of.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { LIST_LIMITS, type ListLimits } from '../core/list-limits.ts'
import type { OptOutFile } from '../core/privacy.ts'
import { sha256 } from '../core/sha256.ts'
import { LONGEST_TIMER_MS } from '../platform/clock.ts'
import { isProcess } from '../platform/machine.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { openNamed } from '../platform/open-regular.ts'
import { pathToOpen } from '../platform/path-of-open.ts'
import { decompressWithin } from './decompress.ts'
import { whileRoom } from './disk-room.ts'
import { findListFiles, findRemoteFiles, type ListOrigins } from './find-files.ts'
import { diskFull, tookTooLong } from './list-errors.ts'
import { unopened, type Workplace } from './list-input.ts'
import type { ListFigures, ListPlace, ListRequest } from './list-request.ts'
import { ListTurns, placesFor } from './list-turns.ts'
import type { Lists } from './lists.ts'
import { makeList } from './make-list.ts'
import { measureList } from './measure-list.ts'
import { readingOptOuts } from './opt-out-errors.ts'
import { createOptedSql } from './opted-sql.ts'
import { filesToRead } from './read-inputs.ts'
import { optOutLists, readOptOuts } from './read-opt-outs.ts'
import { Sandboxes } from './sandbox.ts'

export interface ListsOptions extends ListOrigins {
  /** The absolute path of the folder of the lists; only its owner may enter it. */
  folder: string
  /** The files with the keys of people who opted out. */
  suppress: readonly OptOutFile[]
  /** Opens a file that a document names; throws an AudienceError if the document may not read it. */
  openFile?: (path: string) => Promise<FileHandle>
  /** The resources that may be used for work on lists; the defaults if absent. */
  limits?: ListLimits
  /** Sandboxes that are shared with others; its own if absent. */
  sandboxes?: Sandboxes
  /** The maximum size of a list, in bytes; the limit of an upload if absent. */
  most?: number
}

export function openLists(options: ListsOptions): Lists {
  const { folder, suppress, openFile = openNamed, most = MAX_UPLOAD_BYTES } = options
  const { limits = LIST_LIMITS, sandboxes = new Sandboxes(limits) } = options
  const folderOf = ({ runId, stepKey }: ListPlace) => join(folder, runId, shortHash(stepKey))
  const fileOf = (place: ListPlace) => join(folderOf(place), `${safe(place.pipeline)}.csv`)
  const remove = (name: string) => rm(join(folder, name), { recursive: true, force: true })
  const turns = new ListTurns(placesFor(limits, process.constrainedMemory() || totalmem()))

  async function make(
    request: ListRequest,
    place: ListPlace,
    signal: AbortSignal,
    onTurn?: (ahead: number) => void,
  ): Promise<ListFigures> {
    const own = folderOf(place)
    await rm(own, { recursive: true, force: true })
    // The folder has a new name, because a command that a killed process left behind may still be writing to the old
    // one.
    const work = join(own, `work-${randomUUID()}`)
    makeFolder(work)
    try {
      const { file } = request.from
      const figures = await whileRoom(work, signal, async (roomy) => {
        const found =
          file === undefined ? await findListFiles(request.from, options, { folder: work, signal: roomy }) : []
        return turns.take({ runId: place.runId, signal: roomy, onTurn }, () =>
          inTime(limits, roomy, async (timely) => {
            const decompress = decompressWithin(limits)
            const how = { suppress, target: fileOf(place), folder: work, sandboxes, decompress, most, signal: timely }
            if (file === undefined) return makeList(request, { ...how, files: found })
            await using open = await opened(file)
            return await makeList(request, { ...how, files: [{ given: file, path: pathToOpen(open.fd, file) }] })
          }),
        )
      })
      await rm(work, { recursive: true, force: true })
      return figures
    } catch (error) {
      await rm(own, { recursive: true, force: true })
      throw codeOf(error) === 'ENOSPC' ? diskFull() : error
    }
  }

  /** Opens the checked file itself, because its path may lead elsewhere at any time. */
  async function opened(file: string): Promise<FileHandle> {
    try {
      return await openFile(file)
    } catch (error) {
      throw error instanceof AudienceError ? error : unopened(file, error)
    }
  }

  /** Whether the file of a list exists and is complete. */
  async function isThere(file: string, sha256: string, signal: AbortSignal): Promise<boolean> {
    if (!(await stat(file).catch(() => undefined))) return false
    return (await measureList(file, signal)).sha256 === sha256
  }

  return {
    fileOf,
    make,
    async keep(request, place, { sha256 }, signal) {
      const file = fileOf(place)
      if (!(await isThere(file, sha256, signal))) {
        const again = await make(request, place, signal)
        if (again.sha256 !== sha256) {
          await rm(folderOf(place), { recursive: true, force: true })
          throw changed(place)
        }
      }
      const { size: bytes, mtimeMs: modifiedMs } = await stat(file)
      return { file, bytes, modifiedMs }
    },
    async preview(request, pipeline, signal) {
      const place = { runId: PREVIEW, stepKey: randomUUID(), pipeline }
      return { file: fileOf(place), ...(await make(request, place, signal)) }
    },
    async look(from, signal) {
      return (await findRemoteFiles(from, options, signal))?.files
    },
    async proveOptOuts(optOut, signals, signal) {
      const work = join(folder, PREVIEW, randomUUID())
      makeFolder(work)
      try {
        await turns.take({ runId: PREVIEW, signal, onTurn: undefined }, () =>
          inTime(limits, signal, (timely) =>
            proveOptOuts(optOut, signals, {
              folder: work,
              sandboxes,
              signal: timely,
              decompress: decompressWithin(limits),
            }),
          ),
        )
      } finally {
        await rm(work, { recursive: true, force: true })
      }
    },
    has: (path) => path.startsWith(folder + sep),
    runs: async () => (await readdir(folder).catch(() => [])).filter((name) => !isPreviewed(name)),
    remove,
    async close() {
      await sandboxes.close()
      await remove(PREVIEW)
    },
  }
}

const PREFIX = 'preview-'
/** The folder of the previews of this process. */
const PREVIEW = `${PREFIX}${process.pid}`

/** Whether a folder has the previews of a process that is still running. A killed process leaves its folder behind. */
function isPreviewed(name: string): boolean {
  return name.startsWith(PREFIX) && isProcess(Number(name.slice(PREFIX.length)))
}

/** Stops the work on a list when its time is up. */
async function inTime<T>(
  { timeoutMs }: ListLimits,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER_MS))
  try {
    return await work(AbortSignal.any([signal, timeout]))
  } catch (error) {
    throw timeout.aborted && !signal.aborted ? tookTooLong(timeoutMs) : error
  }
}

function changed({ runId, stepKey }: ListPlace): AudienceError {
  return failedError(
    'list-changed',
    `the list of step "${stepKey}" had to be made again, and its rows have changed`,
    `\`audience runs retry ${runId} --from '${stepKey}'\` prepares it again, with all later steps`,
  )
}

/** A step key can contain any text; a folder name cannot. */
function shortHash(text: string): string {
  return sha256(text).slice(0, 16)
}

function safe(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)
}

/**
 * Reads an opt-out list as it will be read for the next lists of these signals, before any of them is made. Throws
 * `opt-outs-unusable` in the same cases; without a signal, only if the file cannot be read.
 */
async function proveOptOuts(optOut: OptOutFile, signals: readonly FileSignal[], work: Workplace): Promise<void> {
  const lists = await readingOptOuts(() => optOutLists([optOut], work), 'proof')
  if (signals.length === 0) return
  const { folder: tempDir, signal: ended, sandboxes } = work
  const files = filesToRead(lists, tempDir)
  await sandboxes.open({ files, tempDir, signal: ended, process: 'shared' }, async (sandbox) => {
    for (const signal of signals) {
      await sandbox.run(createOptedSql(signal))
      for (const list of lists) await readOptOuts(sandbox, list, { signal, work, purpose: 'proof' })
    }
  })
}

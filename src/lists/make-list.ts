import { rename, stat } from 'node:fs/promises'
import { type FileSignal, isHashable } from '../contract/enumerations.ts'
import { hashSql } from '../contract/normalise-sql.ts'
import { type OptOutFile, optOutPath } from '../core/privacy.ts'
import { identifier, literal } from '../platform/sql-text.ts'
import { syncToDisk } from '../platform/sync-to-disk.ts'
import { askInputs, type QueryResult, takeAnswer } from './ask-inputs.ts'
import { createPrivate } from './create-private.ts'
import { changedWhileRead, emptyList, largeList, namingFiles } from './list-errors.ts'
import { type ListedFile, type ListInput, listInput, type Workplace } from './list-input.ts'
import { type ListFigures, type ListRequest, NORMALISATION } from './list-request.ts'
import { measureList } from './measure-list.ts'
import { readingOptOuts } from './opt-out-errors.ts'
import { createOptedSql, crossingSignals, keptSql } from './opted-sql.ts'
import { filesToRead, readListInputs } from './read-inputs.ts'
import { type OptOutList, optOutLists, readOptOuts } from './read-opt-outs.ts'
import { readRows } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'

/** Where a list is made. */
export interface ListWork extends Workplace {
  /** The files with the rows. */
  readonly files: readonly ListedFile[]
  /** The files with the keys of people who opted out. */
  readonly suppress: readonly OptOutFile[]
  /** The file to write; it appears when it is complete. */
  readonly target: string
  /** The maximum size of the list, in bytes. */
  readonly most: number
}

/** Writes the keys of the files: normalised, all different, sorted by their bytes, one per line below a header. */
export async function makeList(request: ListRequest, work: ListWork): Promise<ListFigures> {
  const { target, most, signal } = work
  const stamps = await stampsOf(work)
  const keys = { ...request, delimiter: request.from.delimiter }
  const inputs: ListInput[] = []
  for (const [index, file] of work.files.entries()) inputs.push(await listInput(file, `input-${index}`, work, keys))
  const optOuts = await readingOptOuts(() => optOutLists(work.suppress, work))
  const part = `${target}.part`
  await createPrivate(part)
  const counts = await namingFiles(inputs, async () => {
    const answer = request.sql === undefined ? undefined : await askInputs(request, inputs, work)
    const from = answer === undefined ? filesToRead(inputs, work.folder) : [answer.file]
    const files = [...from, ...filesToRead(optOuts, work.folder), part]
    return work.sandboxes.open({ files, tempDir: work.folder, signal, process: 'shared' }, (sandbox) =>
      writeKeys(request, { ...work, inputs, answer, optOuts, part }, sandbox),
    )
  })
  if ((await stampsOf(work)) !== stamps) throw changedWhileRead()
  const { fit, ...measured } = await measureList(part, signal, most)
  if (fit !== undefined) throw largeList(measured.bytes, { keys: counts.keys, fit, most })
  syncToDisk(part)
  await rename(part, target)
  return { ...counts, ...measured, normalisation: NORMALISATION }
}

/** Values that change if somebody writes to one of the files. */
async function stampsOf({ files, suppress }: ListWork): Promise<string> {
  const [lists, optOuts] = await Promise.all([files.map(({ path }) => path), suppress.map(optOutPath)].map(statsOf))
  const stamps = [...(lists ?? []), ...(optOuts ?? [])].map((each) => `${each?.ino} ${each?.size} ${each?.mtimeMs}`)
  // The program that writes a file may reset its modification time. The change time (ctime) of a list's file does not
  // count, because it also changes when a deployment links the file.
  return [...stamps, ...(optOuts ?? []).map((each) => String(each?.ctimeMs))].join('\n')
}

function statsOf(paths: readonly string[]) {
  return Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
}

type Reading = ListWork & {
  readonly inputs: readonly ListInput[]
  /** The result of the document's query, if it has one. The inputs are then not read again. */
  readonly answer: QueryResult | undefined
  readonly optOuts: readonly OptOutList[]
  readonly part: string
}

async function writeKeys(request: ListRequest, work: Reading, sandbox: Sandbox) {
  const { signal: keySignal } = request
  const unread =
    work.answer === undefined ? await readColumn(request, work, sandbox) : await takeAnswer(sandbox, work.answer)
  await keepOthers(sandbox, work, keySignal)
  const [row] = await sandbox.rows(`SELECT coalesce(sum(n), 0)::BIGINT AS read,
    coalesce(sum(n) FILTER (blank), 0)::BIGINT AS empty,
    coalesce(sum(n) FILTER (key IS NULL AND NOT blank), 0)::BIGINT AS bad,
    count(key) - (SELECT count(*) FROM kept) AS suppressed FROM found`)
  // Only hashing can make two keys the same.
  const written = request.hash === 'sha256' ? `SELECT DISTINCT ${hashSql('key')} AS key FROM kept` : 'FROM kept'
  const [copied] =
    await sandbox.rows(`COPY (SELECT key AS ${identifier(keySignal.toLowerCase())} FROM (${written}) ORDER BY key)
    TO ${literal(work.part)} (FORMAT csv, HEADER, USE_TMP_FILE false)`)
  const rows = Number(row?.read) + unread
  const keys = Number(copied?.Count)
  const empty = Number(row?.empty)
  const bad = Number(row?.bad) + unread
  const suppressed = Number(row?.suppressed)
  const duplicates = rows - keys - suppressed - empty - bad
  const counts = { rows, keys, duplicates, empty, bad, badShare: rows === 0 ? 0 : bad / rows, suppressed }
  if (keys === 0) throw emptyList(keySignal, counts)
  return counts
}

/** Makes the table `found` from a column; returns how many lines could not be read. */
function readColumn(request: ListRequest, work: Reading, sandbox: Sandbox): Promise<number> {
  const keys = { column: request.column ?? 1, signal: request.signal }
  return readListInputs(sandbox, work.inputs, { ...work, keys }, (inputs) => readRows(sandbox, inputs, request))
}

/** Reads the opt-out lists; makes `kept` (key): the keys of `found` that none of them has. */
async function keepOthers(sandbox: Sandbox, work: Reading, keySignal: FileSignal): Promise<void> {
  if (work.optOuts.length === 0)
    return sandbox.run('CREATE TEMP VIEW kept AS SELECT key FROM found WHERE key IS NOT NULL')
  const crossing = await crossingSignals(sandbox, keySignal)
  for (const signal of [keySignal, ...crossing]) {
    await sandbox.run(createOptedSql(signal))
    const purpose = signal === keySignal ? 'suppress' : isHashable(keySignal) ? 'hashes' : 'other'
    for (const optOut of work.optOuts) await readOptOuts(sandbox, optOut, { signal, work, purpose })
  }
  await sandbox.run(`CREATE TEMP TABLE kept AS ${keptSql(crossing, keySignal)}`)
}

import { type FileSignal, isHashable } from '../contract/enumerations.ts'
import { hashSql, isHash, trimmedSql } from '../contract/normalise-sql.ts'
import type { OptOutFile } from '../core/privacy.ts'
import { identifier, literal } from '../platform/sql-text.ts'
import { createPrivate } from './create-private.ts'
import { namingFiles } from './list-errors.ts'
import { listInput, type Workplace } from './list-input.ts'
import { createOptedSql, optedSql, optedTable, READABLE } from './opted-sql.ts'
import { filesToRead } from './read-inputs.ts'
import { type OptOutList, optOutLists, readOptOuts } from './read-opt-outs.ts'
import type { Sandbox } from './sandbox.ts'

/** The figures of a file with the keys of people. */
export interface AskedKeys {
  /** How many keys of the signal it has, all different. */
  readonly keys: number
  /** How many of them are in no opt-out list. */
  readonly notOptedOut: number
  /** How many are hashes although the list has clear keys: these cannot be compared. */
  readonly unsearchable: number
}

/**
 * Writes every form in which a list can hold the keys of a file: a header, then one form per line, all different. The
 * file is read like an opt-out list. A list of e-mail addresses can hold an address and its SHA-256.
 */
export async function writeForms(
  file: string,
  { signal: keySignal, hash }: { signal: FileSignal; hash: 'none' | 'sha256' },
  work: Workplace & {
    suppress: readonly OptOutFile[]
    /** The file to write. */
    target: string
  },
): Promise<AskedKeys> {
  const { target, folder, signal } = work
  const asked = [await listInput({ given: file, path: file }, 'keys', work)]
  const optOuts = await optOutLists(work.suppress, work)
  await createPrivate(target)
  const files = [...filesToRead([...asked, ...optOuts], folder), target]
  return namingFiles(asked, () =>
    work.sandboxes.open({ files, tempDir: folder, signal, process: 'shared' }, countForms),
  )

  async function countForms(sandbox: Sandbox): Promise<AskedKeys> {
    await readKeys(sandbox, asked, 'check')
    await sandbox.run(`CREATE TEMP TABLE asked AS SELECT DISTINCT key FROM ${optedTable(keySignal)}`)
    await readKeys(sandbox, optOuts, 'other')
    const isUnsearchable = hash === 'none' && isHashable(keySignal) ? isHash('key') : 'false'
    const [row] =
      await sandbox.rows(`SELECT count(*) AS keys, count(*) - (SELECT count(DISTINCT source) FROM (${optedSql(keySignal, '(SELECT key AS source, key FROM asked)')})) AS rest,
      count(*) FILTER (${isUnsearchable}) AS hashes FROM asked`)
    await sandbox.run(`COPY (SELECT DISTINCT key AS ${identifier(keySignal.toLowerCase())} FROM (${formsSql(keySignal, hash)}))
      TO ${literal(target)} (FORMAT csv, HEADER, USE_TMP_FILE false)`)
    return { keys: Number(row?.keys), notOptedOut: Number(row?.rest), unsearchable: Number(row?.hashes) }
  }

  async function readKeys(sandbox: Sandbox, lists: readonly OptOutList[], purpose: 'check' | 'other'): Promise<void> {
    await sandbox.run(createOptedSql(keySignal))
    for (const list of lists) await readOptOuts(sandbox, list, { signal: keySignal, work, purpose })
  }
}

function formsSql(signal: FileSignal, hash: 'none' | 'sha256'): string {
  const hashed = `SELECT ${hashSql('key')} AS key FROM asked`
  if (hash === 'sha256') return hashed
  if (!isHashable(signal)) return `SELECT key FROM asked UNION ALL SELECT ${trimmedSql('key')} FROM asked`
  const readable = `SELECT sha256(${READABLE.sql}) FROM asked WHERE ${READABLE.if}`
  return ['SELECT key FROM asked', hashed, ...(signal === 'EMAIL' ? [readable] : [])].join(' UNION ALL ')
}

import type { FileSignal } from '../contract/enumerations.ts'
import type { OptOutFile } from '../core/privacy.ts'
import type { Workplace } from './list-input.ts'
import { createOptedSql } from './opted-sql.ts'
import { filesToRead } from './read-inputs.ts'
import { optOutLists, readingOptOuts, readOptOuts } from './read-opt-outs.ts'

/**
 * Reads an opt-out list as the next lists of these signals will, before there is one. Throws `opt-outs-unusable` as they
 * would; without a signal only if the file cannot be read.
 */
export async function proveOptOuts(optOut: OptOutFile, signals: readonly FileSignal[], work: Workplace): Promise<void> {
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

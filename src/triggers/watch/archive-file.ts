import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import { formatBytes } from '../../core/format/figures.ts'
import { utcTime } from '../../core/format/time-text.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import { printable } from '../../core/printable.ts'
import type { Disk } from './disk.ts'
import type { FileOutcome } from './file-outcome.ts'
import { NOTE, REASON } from './find-files.ts'
import { lookAt } from './look-at.ts'
import { type Placing, placeFile, release } from './place-file.ts'

/**
 * Moves a file to its final folder and returns its new path. Writes the note before the file arrives, so that a script
 * that finds the file also finds the reason. After a crash at any point, a repeated call finishes the work.
 */
export async function archiveFile(
  disk: Disk,
  placing: Placing,
  occurrence: Occurrence,
  { folder, why }: Pick<FileOutcome, 'folder' | 'why'>,
): Promise<string | undefined> {
  const suffix = folder === 'failed' ? REASON : NOTE
  const path = await placeFile(
    disk,
    placing,
    why && {
      fits: async (path) => !(await lookAt(disk, path + suffix))?.isDirectory(),
      async put(path) {
        // The draft has a hidden name until it is complete.
        const draft = join(placing.folder, `.${placing.ticket}.note`)
        await disk.rm(draft, { force: true })
        // The flag `wx` prevents writing through a link that somebody else put there.
        await disk.writeFile(draft, letter(basename(path), occurrence, why), { flag: 'wx' })
        await disk.rename(draft, path + suffix)
      },
      remove: (path) => disk.rm(path + suffix, { force: true }),
    },
  )
  // While the watched folder is unavailable, for example because a share is not mounted, a file that cannot be seen may
  // still exist.
  const taken = dirname(dirname(placing.source))
  if (path === undefined && !(await lookAt(disk, taken))) throw new Error(`${taken} is not there`)
  await release(disk, placing)
  try {
    await disk.rmdir(dirname(placing.source))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTEMPTY') throw error
  }
  return path
}

function letter(name: string, occurrence: Occurrence, why: NonNullable<FileOutcome['why']>): string {
  const { pipeline, trigger, at, runId, detail } = occurrence
  const facts = [
    ['File', detail?.name === name ? name : `${name}, which arrived as ${detail?.name}`],
    ['What happened', why.happened],
    ['What to do', why.next],
    ['Pipeline', `${pipeline}, trigger ${trigger}`],
    ['Run', runId ?? 'none'],
    ['Taken at', utcTime(at)],
    ['Size', formatBytes(Number(detail?.size))],
    ['SHA-256', String(detail?.sha256 ?? 'not read')],
  ]
  return facts.map(([head, text = '']) => `${head}: ${printable(text)}\n`).join('')
}

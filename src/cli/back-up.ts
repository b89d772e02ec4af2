import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { backupState } from '../app/state-files.ts'
import { urlForTools } from '../config/database-url.ts'
import { membershipFolder, type Settings } from '../config/settings.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { count, formatBytes } from '../core/format/figures.ts'
import { printable } from '../core/printable.ts'
import { shellWord } from '../core/shell-word.ts'
import { copyFingerprints } from '../membership/copy-fingerprints.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'

export interface BackupFlags {
  readonly withMembership?: true
}

/** Copies the state to a file and, on request, the fingerprints of lists to a folder next to it. */
export async function backUp(file: string, { withMembership }: BackupFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(terminal)
  const target = resolve(terminal.cwd, file)
  if (settings.database) return printDump(settings, target, terminal)
  const folder = `${target}.membership`
  if (withMembership && existsSync(folder)) throw isThere(folder)
  const { runs, bytes } = await backupState(settings.state, target)
  terminal.out.write(`copied ${count(runs, 'run')} (${formatBytes(bytes)}) to ${printable(target)}\n`)
  if (withMembership) {
    const lists = await copyFingerprints(membershipFolder(settings), folder)
    terminal.out.write(`copied the fingerprints of ${count(lists, 'list')} to ${printable(folder)}\n`)
  }
  return 0
}

function isThere(folder: string): AudienceError {
  return usageError(
    'file-exists',
    `${folder} already exists`,
    'give the copy another name, such as one with the date in it',
  )
}

/**
 * Prints shell commands that copy the database with `pg_dump`, which can do this while workers are running. The copy
 * gets its name when it is complete.
 */
function printDump({ shared, database }: Settings, target: string, { out, err }: Terminal): number {
  const url = database ? urlForTools(database.url) : ''
  err.write(
    `the state is in PostgreSQL: this command copies it, even while workers are running; ${shared} has the fingerprints of lists and the uploads\n`,
  )
  // The printed script checks the file itself. If this command refused it, a pipe into a shell would still end with the
  // exit code of the shell.
  out.write(`(
  file=${shellWord(target)}
  if test -e "$file"; then echo "$file already exists; give the copy another name" >&2; exit 2; fi
  umask 077
  trap 'rm -f "$file.part"' EXIT
  trap 'exit 1' HUP INT TERM
  pg_dump --format=custom --schema=audience --schema=dbos --file="$file.part" ${shellWord(url)} && mv "$file.part" "$file"
)
`)
  return 0
}

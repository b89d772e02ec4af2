import { reasonText } from '../../core/format/reason-text.ts'
import { triggerName } from '../../core/occurrence.ts'
import { jsonLine } from '../../core/printable.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { fileFacts } from '../../status/file-facts.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { OUTCOME_COLOURS, outcomeText } from '../views/outcomes.ts'
import { renderTable, type TableColumn, tableView } from '../views/table.ts'
import { writeFitted } from '../views/text-width.ts'
import { writeTime } from '../views/write-time.ts'

export interface FilesFlags {
  readonly count: number
  readonly json?: true
}

type Listed = Awaited<ReturnType<typeof fileFacts>>

/** Prints the newest files of watched folders, and what happened to them. */
export async function listFiles(name: string | undefined, flags: FilesFlags, terminal: Terminal): Promise<number> {
  const [pipeline, trigger] = name?.split('/') ?? []
  const filter = { pipeline, trigger, kind: 'file', limit: flags.count + 1 } as const
  const files = await withReadableState(settingsOf(terminal), terminal.surroundings, async ({ occurrences }) =>
    Promise.all((await occurrences.list(filter)).map(fileFacts)),
  )
  const shown = files.slice(0, flags.count)
  const lines = flags.json ? shown.map(jsonLine) : tableOf(shown, terminal)
  for (const line of lines) terminal.out.write(`${line}\n`)
  if (!flags.json && shown.some(({ canRetry }) => canRetry)) writeFitted(terminal.out, AGAIN)
  if (!flags.json && files.length > shown.length)
    terminal.out.write(`older files are not shown: -n ${10 * flags.count} shows more\n`)
  return 0
}

function tableOf(files: readonly Listed[], { out }: Terminal): readonly string[] {
  return files.length === 0 ? ['no files'] : renderTable(COLUMNS, files, tableView(out))
}

const COLUMNS: readonly TableColumn<Listed>[] = [
  { header: 'found', drop: 1, cell: ({ at }) => writeTime(Date.parse(at)) },
  { header: 'trigger', min: 8, drop: 2, cell: triggerName },
  { header: 'file', min: 12, cell: ({ name, key }) => name ?? key },
  { header: 'outcome', cell: ({ outcome }) => ({ text: outcomeText(outcome), format: OUTCOME_COLOURS[outcome] }) },
  { header: 'details', below: true, cell: detailsOf },
]

function detailsOf({ runId, reason, sameAs, canRetry }: Listed): string {
  const what = sameAs === undefined ? reason && reasonText(reason) : `same content as ${sameAs}`
  return [what, canRetry && 'in failed', runId && `run ${runId}`].filter(Boolean).join(', ')
}

const AGAIN = 'to drop a file in failed again: `audience files drop-again RUN`, or `PIPELINE/TRIGGER FILE`'

import type { ListSource } from '../../core/list-source.ts'
import { triggerName } from '../../core/occurrence.ts'
import { jsonLine } from '../../core/printable.ts'
import { documentsInUse } from '../../daemon/deployment/documents-in-use.ts'
import { sourceWatches } from '../../status/source-status.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { renderTable, tableView } from '../views/table.ts'

/** Prints the sources of audience.yaml, and which triggers take files from them. */
export async function listSources({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const settings = settingsOf(terminal)
  const { documents } = await documentsInUse(settings, surroundings)
  const watches = sourceWatches(documents.values())
  const sources = Object.entries(settings.sources).map(([name, source]) => ({
    source: name,
    kind: source.kind === 'remote' ? source.at.kind : source.kind,
    place: placeOf(source),
    watches: watches.filter(({ its }) => its.source === name).map(({ its, ...ref }) => ({ ...ref, path: its.path })),
  }))
  const lines = json
    ? sources.map(jsonLine)
    : sources.length === 0
      ? ['audience.yaml has no sources']
      : renderTable(
          [
            { header: 'source', min: 8, cell: ({ source }) => source },
            { header: 'kind', cell: ({ kind }) => kind },
            { header: 'place', min: 12, cell: ({ place }) => place },
            { header: 'watched by', below: true, cell: (one) => one.watches.map(triggerName).join(', ') },
          ],
          sources,
          tableView(out),
        )
  for (const line of lines) out.write(`${line}\n`)
  return 0
}

/** The location of a source, without the arguments of a command, because they may contain a secret. */
function placeOf(source: ListSource): string {
  switch (source.kind) {
    case 'path':
      return source.path
    case 'command':
      return source.command[0] ?? ''
    case 'left':
      return source.why
    case 'remote': {
      const { at } = source
      if (at.kind === 'sftp') return `${at.user}@${at.host}${at.port === undefined ? '' : `:${at.port}`}`
      return `${at.bucket} ${at.endpoint === undefined ? `in ${at.region}` : `at ${new URL(at.endpoint).host}`}`
    }
  }
}

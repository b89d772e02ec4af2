import { dropAgain } from '../../acts/drop-again.ts'
import { usageError } from '../../core/errors.ts'
import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'
import { printable } from '../../core/printable.ts'
import { documentsInUse } from '../../daemon/deployment/documents-in-use.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { State } from '../../state/state.ts'
import { failedFileOf } from '../../triggers/watch/failed-file.ts'
import { runNamed } from '../run-named.ts'
import { settingsOf } from '../settings-of.ts'
import { type SignFlags, signedBy, userName } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withSources } from '../with-sources.ts'
import { withState } from '../with-state.ts'

/** The file of a run, or a trigger's newest failed file with this name. */
interface Wanted {
  /** A run, or PIPELINE/TRIGGER. */
  readonly of: string
  readonly file: string | undefined
}

/** Moves a file from `failed` back into its watched folder. */
export async function dropFileAgain(
  of: string,
  file: string | undefined,
  flags: SignFlags,
  terminal: Terminal,
): Promise<number> {
  const wanted: Wanted = { of, file }
  const actor = signedBy(flags, terminal)
  const settings = settingsOf(terminal)
  const filter = await filterOf(wanted, terminal)
  const givers = [...new Set([actor.by, userName(terminal.env)])]
  const documents = async () => (await documentsInUse(settings, terminal.surroundings)).documents
  const drop = async (state: State) => {
    const occurrence = await fileOf(wanted, filter, state.occurrences)
    const { pipeline, trigger, key } = occurrence
    const path = await withSources(terminal, settings, ({ open: openSource, signal }) =>
      dropAgain({ ref: { pipeline, trigger }, key, givers }, actor, { state, settings, documents, openSource, signal }),
    )
    terminal.out.write(`${printable(path)} is there again; \`audience start\` takes it\n`)
    return 0
  }
  return withState(terminal, drop, settings)
}

async function filterOf({ of, file }: Wanted, terminal: Terminal): Promise<Partial<TriggerRef> & { runId?: string }> {
  if (!of.includes('/')) return { runId: await runNamed(of, terminal) }
  const [pipeline, trigger] = of.split('/')
  if (file !== undefined) return { pipeline, trigger }
  throw usageError('no-file-named', `which file of ${of}?`, `\`audience files list ${of}\` shows them`)
}

/**
 * The newest matching file that is in `failed`. If there is none, the newest matching file: the act then says what is
 * wrong with it.
 */
async function fileOf(
  { of, file }: Wanted,
  filter: Partial<TriggerRef> & { runId?: string },
  occurrences: OccurrenceStore,
): Promise<Occurrence> {
  const all = await occurrences.list({ ...filter, kind: 'file', limit: MOST_SEARCHED })
  const named = all.filter(({ detail }) => file === undefined || detail?.name === file)
  for (const one of named) if (await failedFileOf(one)) return one
  const [newest] = named
  if (newest) return newest
  throw usageError(
    'unknown-file',
    `${of} has no file${file === undefined ? '' : ` ${file}`}`,
    '`audience files list` shows the files of watched folders; other runs are repeated with `audience runs retry`',
  )
}

const MOST_SEARCHED = 1000

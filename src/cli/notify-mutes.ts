import { mutePipelines, unmutePipelines } from '../acts/mute-pipelines.ts'
import type { Settings } from '../config/settings.ts'
import { usageError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { isLike } from '../core/is-like.ts'
import { jsonLine, printable } from '../core/printable.ts'
import { documentsInUse } from '../daemon/deployment/documents-in-use.ts'
import { type Mute, muteItem } from '../state/mutes.ts'
import type { StateAround } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { durationOption, type JsonFlag } from './options.ts'
import { parseInstant } from './parse-time.ts'
import { settingsOf } from './settings-of.ts'
import { type SignFlags, signedBy } from './signed.ts'
import type { Terminal } from './terminal.ts'
import { renderTable, type TableColumn, tableView } from './views/table.ts'
import { writeTime } from './views/write-time.ts'
import { withState } from './with-state.ts'

export interface MuteFlags extends SignFlags {
  readonly for?: string
  readonly until?: string
}

/** Mutes some pipelines for a limited time. */
export async function muteNotify(pipelines: string, flags: MuteFlags, terminal: Terminal): Promise<number> {
  const { out, err } = terminal
  const { clock } = terminal.surroundings
  const actor = signedBy(flags, terminal)
  const until = endOf(flags, clock.now())
  const settings = settingsOf(terminal)
  const loaded = await pipelinesIn(settings, terminal.surroundings)
  await withState(
    terminal,
    ({ mutes, runs }) => mutePipelines({ pipelines, until }, actor, { mutes, runs, loaded, clock }),
    settings,
  )
  const muted = loaded.filter((name) => isLike(name, pipelines))
  if (muted.length === 0) err.write(`no pipeline in ${settings.pipelines} has this name now\n`)
  const which = !pipelines.includes('*') ? pipelines : `${printable(pipelines)} (${count(muted.length, 'pipeline')})`
  out.write(
    `nobody gets messages about ${which} until ${writeTime(until)}, except about the recovery from a failure that was reported before\n`,
  )
  out.write('failures and waits that last until then are reported at that time\n')
  return 0
}

/** Ends a mute early. */
export async function unmuteNotify(pipelines: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const { clock } = terminal.surroundings
  const actor = signedBy(flags, terminal)
  const { ended } = await withState(terminal, ({ mutes }) => unmutePipelines(pipelines, actor, { mutes, clock }))
  terminal.out.write(`${printable(pipelines)}: ${ended ? 'people get messages again' : 'was not muted'}\n`)
  return 0
}

/** Prints the current mutes. */
export async function listMutes({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { out } = terminal
  const mutes = await withReadableState(settingsOf(terminal), terminal.surroundings, (state) =>
    state.mutes.list(terminal.surroundings.clock.now()),
  )
  const lines = json
    ? mutes.map((mute) => jsonLine(muteItem(mute)))
    : mutes.length === 0
      ? ['nothing is muted']
      : renderTable(COLUMNS, mutes, tableView(out))
  for (const line of lines) out.write(`${line}\n`)
  return 0
}

const COLUMNS: readonly TableColumn<Mute>[] = [
  { header: 'pipelines', min: 12, cell: ({ pipelines }) => pipelines },
  { header: 'until', cell: ({ until }) => writeTime(until) },
  { header: 'since', cell: ({ since }) => writeTime(since) },
  { header: 'by', cell: ({ by }) => by },
  { header: 'why', below: true, cell: ({ comment }) => comment },
]

function endOf({ for: time, until }: MuteFlags, now: number): number {
  if (time !== undefined) return now + durationOption(time)
  if (until !== undefined) return parseInstant(until, '--until')
  throw usageError('no-mute-end', 'a mute must have an end', 'give --for 8h, or --until 2026-11-29T06:00')
}

async function pipelinesIn(settings: Settings, around: StateAround): Promise<readonly string[]> {
  return [...(await documentsInUse(settings, around)).documents.keys()]
}

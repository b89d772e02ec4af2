import { count, grouped } from '../../core/format/figures.ts'
import type { HeldKeys, HeldKeysReport, NextRun } from '../../status/held-keys-report.ts'
import type { Style } from './style.ts'
import { renderTable, type TableColumn } from './table.ts'
import { writeTime } from './write-time.ts'

const COLUMNS: readonly TableColumn<HeldKeys>[] = [
  { header: 'pipeline', cell: ({ pipeline }) => pipeline },
  { header: 'step', cell: ({ step }) => step },
  { header: 'run', cell: ({ runId, status }) => (status === 'succeeded' ? runId : `${runId} (${status})`) },
  { header: 'keys asked for', cell: ({ asked }) => grouped(asked) },
  { header: 'held', cell: ({ held }) => ({ text: grouped(held), format: held > 0 ? 'red' : undefined }) },
  { header: 'removed by', cell: ({ next }) => next && nextText(next) },
]

const NOT_SEARCHED = 'no list can be searched'
const NOT_SENT = 'no list was uploaded, so none can hold the keys'

/** For people: how many of the given keys each live list contains. */
export function renderHeldKeys({ lists, unknown }: HeldKeysReport, style: Style): string[] {
  return [
    ...(lists.length > 0 ? renderTable(COLUMNS, lists, { style }) : [unknown.length > 0 ? NOT_SEARCHED : NOT_SENT]),
    ...once([
      ...lists.flatMap((list) => warning(list)),
      ...unknown.map(
        ({ pipeline, step, runId, why }) =>
          `not known: ${pipeline}${step === undefined ? '' : `, ${withoutItem(step)}`} (run ${runId}): ${why}`,
      ),
    ]).map((text) => style('yellow', text)),
  ]
}

/** Facts that are the same for all items of a forEach are printed once. */
function once(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** Removes items: `audience[x].list` becomes `audience.list`. */
function withoutItem(stepKey: string): string {
  return stepKey.replace(/\[.*\]/s, '')
}

function nextText(next: NextRun): string {
  switch (next.kind) {
    case 'slot':
      return `${next.schedule} at ${writeTime(Date.parse(next.at))}`
    case 'file':
      return `the next file in ${next.folder}`
    case 'command':
      return next.command
  }
}

/** A warning about keys that are not opted out, because the next run leaves out only opted-out keys. */
function warning({ pipeline, step, held, notOptedOut }: HeldKeys): string[] {
  if (held === 0 || notOptedOut === 0) return []
  const keys = `${count(notOptedOut, 'key')} of the file ${notOptedOut === 1 ? 'is' : 'are'}`
  return [
    `${pipeline}, ${withoutItem(step)}: ${keys} not in any file of privacy.suppress, so the next run removes ${notOptedOut === 1 ? 'it' : 'them'} only if the source does`,
  ]
}

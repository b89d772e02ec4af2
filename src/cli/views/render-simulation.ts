import { dateAfter } from '../../core/date.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import { triggerName } from '../../core/occurrence.ts'
import { printableData } from '../../core/printable.ts'
import type { SimulatedSchedule, Simulation } from '../../rehearsal/simulation/simulation-schema.ts'
import {
  figureChanges,
  headText,
  latestText,
  livedText,
  peakText,
  problemsText,
  problemText,
  queueText,
  slotChanges,
} from './describe-simulation.ts'
import type { Style } from './style.ts'
import { renderTable, type TableColumn, type TableView } from './table.ts'
import { hanging } from './text-width.ts'

const COLUMNS: readonly TableColumn<SimulatedSchedule>[] = [
  { header: 'SCHEDULE', min: 14, cell: triggerName },
  { header: 'SLOTS', cell: ({ slots }) => String(slots) },
  { header: 'RUN', cell: ({ lived }) => String(lived) },
  { header: 'OK', cell: ({ fates }) => String(fates.ran ?? 0) },
  { header: 'PROBLEMS', min: 12, cell: problemsCell },
  { header: 'LATEST END', min: 10, drop: 2, cell: latestText },
  { header: 'WAITED', drop: 1, cell: ({ longestWait }) => longestWait && formatDuration(longestWait.waitedMs) },
]

/** A simulation for people: first what happens to slots, then clock changes, the busiest times, and a calendar. */
export function renderSimulation(given: Simulation, { style, width }: TableView): string[] {
  const simulation = printableData(given)
  const { schedules, problems, clockChanges, peak, queue, without, changes } = simulation
  const text = (line: string) => (width === undefined ? [line] : hanging(line, width))
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', style('bold', title), ...lines.flatMap((line) => text(`  ${line}`))]
  return [
    ...text(headText(simulation)),
    ...text(livedText(simulation)),
    ...(schedules.length === 0 ? [] : ['', ...renderTable(COLUMNS, schedules, { width, style })]),
    ...section(
      'Problems',
      problems.map((one) => style('red', `${one.kind.toUpperCase()} ${triggerName(one)}: ${problemText(one)}`)),
    ),
    ...(changes ? section(`Since ${changes.since}`, changeLines(changes)) : []),
    ...section(
      'Clocks change',
      clockChanges.map(
        ({ date, timezone, before, after, slots }) =>
          `${date} ${timezone}: ${before} is followed by ${after}; ${nearText(slots)}`,
      ),
    ),
    ...section('Busiest minute of the days run in full', peak ? [peakText(peak)] : []),
    ...section('Longest queue', queue ? [queueText(queue)] : []),
    ...(schedules.length === 0 ? [] : calendar(simulation, style)),
    ...section(
      'Without slots',
      without.map(({ pipeline, file, why }) => `${pipeline} (${file}): ${why}`),
    ),
  ]
}

function problemsCell(one: SimulatedSchedule) {
  const text = problemsText(one)
  return text === '' ? 'none' : ({ text, format: one.lived === 0 ? 'yellow' : 'red' } as const)
}

function changeLines({ since, schedules }: NonNullable<Simulation['changes']>): readonly string[] {
  if (schedules.length === 0) return [`no schedule differs from ${since}`]
  return schedules.flatMap((one) => {
    const lines = [...slotChanges(one), ...figureChanges(one)]
    return lines.map((line) => `${triggerName(one)}: ${line}`)
  })
}

function nearText(slots: Simulation['clockChanges'][number]['slots']): string {
  if (slots.length === 0) return 'no slot is near'
  return `slots near: ${slots.map((one) => `${triggerName(one)} ${one.local.slice('2026-10-25 '.length)}`).join(', ')}`
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const CELL = 8

/** How many slots each day has, with one week per line. */
function calendar({ calendar: days, clockChanges }: Simulation, style: Style): string[] {
  const changing = new Set(clockChanges.map(({ date }) => date))
  const weeks = new Map<string, string[]>()
  for (const { date, slots, isLived } of days) {
    const weekday = (new Date(date).getUTCDay() + 6) % 7
    const monday = dateAfter(date, -weekday)
    const week = weeks.get(monday) ?? new Array<string>(7).fill('')
    week[weekday] = `${slots}${isLived ? '*' : ''}${changing.has(date) ? '~' : ''}`
    weeks.set(monday, week)
  }
  const line = (cells: readonly string[]) => cells.map((cell) => cell.padStart(CELL)).join('')
  return [
    '',
    `${style('bold', 'Slots of each day')}  * run in full${changing.size > 0 ? '  ~ clocks change' : ''}`,
    style('dim', `  week of   ${line(WEEKDAYS)}`),
    ...[...weeks].map(([monday, cells]) => `  ${monday}${line(cells)}`.trimEnd()),
  ]
}

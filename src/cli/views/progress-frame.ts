import { formatDuration } from '../../core/format/duration-text.ts'
import { count, formatBytes } from '../../core/format/figures.ts'
import type { Progress, StepLine } from './progress.ts'
import { renderReport } from './render-error.ts'
import type { Style } from './style.ts'
import { cut, hanging, padTo, widthOf } from './text-width.ts'

type Line = Readonly<StepLine>

export interface FrameView {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly columns: number
  readonly style: Style
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const BAR_WIDTH = 24
const INDENT = '    '

/** The lines of a frame that is drawn over the previous one: at most `rows`, each of at most `columns` columns. */
export function frameOf(progress: Progress, view: FrameView & { rows: number }): string[] {
  const steps = progress.steps()
  const width = nameWidth(steps, view.columns)
  const blocks = steps.map((step) => ({ step, lines: liveLines(step, width, view) }))
  return fitted(blocks, Math.max(1, view.rows), view)
}

/** All lines of the last frame: nothing is left out, and long lines are broken between words. */
export function lastFrameOf(progress: Progress, view: FrameView): string[] {
  const steps = progress.steps()
  const width = nameWidth(steps, view.columns)
  return steps.flatMap((step) => {
    const line = `${symbol(step, view)} ${padTo(step.name, width)}  ${activity(step, view)}`.trimEnd()
    const isWaiting = step.state === 'waiting' ? step : step.items.find(({ state }) => state === 'waiting')
    return [
      ...(widthOf(line) <= view.columns ? [line] : hanging(line, view.columns)),
      ...(isWaiting ? question(isWaiting, view) : []),
    ]
  })
}

function nameWidth(steps: readonly Line[], columns: number): number {
  const names = steps.flatMap(({ name, items }) => [
    widthOf(name),
    ...items.filter(isUnderWay).map(({ shortName }) => widthOf(shortName) + 2),
  ])
  return Math.min(Math.max(0, ...names), Math.max(8, Math.floor(columns / 3)))
}

/** The lines for a step, for its items that are in progress, and for the questions to a person. */
function liveLines(step: Line, width: number, view: FrameView): string[] {
  const line = (one: Line, indent: string) => {
    const name = padTo(cut(one.shortName, width - indent.length), width - indent.length)
    const room = view.columns - widthOf(name) - indent.length - 4
    return `${indent}${symbol(one, view)} ${name}  ${cut(activity(one, { ...view, style: plain }), Math.max(0, room))}`.trimEnd()
  }
  const underWay = step.items.filter(isUnderWay)
  return [
    line(step, ''),
    ...(step.state === 'waiting' ? question(step, view) : []),
    ...underWay.flatMap((item) => [line(item, '  '), ...(item.state === 'waiting' ? question(item, view) : [])]),
  ]
}

function isUnderWay({ state }: Line): boolean {
  return state === 'running' || state === 'waiting'
}

function question({ error }: Line, { columns, style }: FrameView): string[] {
  return error ? renderReport(error, style).flatMap((text) => hanging(`${INDENT}${text}`, columns)) : []
}

interface Block {
  readonly step: Line
  readonly lines: readonly string[]
}

/**
 * Active steps stay. One line with a count replaces the steps that have ended, and another line replaces the steps that
 * have not begun. If this is not enough, a count also replaces the lines that do not fit.
 */
function fitted(blocks: readonly Block[], rows: number, view: FrameView): string[] {
  const all = blocks.flatMap(({ lines }) => lines)
  if (all.length <= rows) return all
  const isOver = ({ step }: Block) => step.state === 'succeeded' || step.state === 'skipped'
  const isToCome = ({ step }: Block) => step.state === 'pending'
  const over = blocks.filter(isOver).length
  const toCome = blocks.filter(isToCome).length
  const head = over > 1 ? [`${view.style('green', '✓')} ${count(over, 'step')} done`] : []
  const tail = toCome > 1 ? [`${view.style('dim', '·')} ${count(toCome, 'step')} to come`] : []
  const middle = blocks.filter((block) => !(over > 1 && isOver(block)) && !(toCome > 1 && isToCome(block)))
  const room = rows - head.length - tail.length
  return [...head, ...shortened(middle, Math.max(1, room)), ...tail].slice(0, rows)
}

/** Each step keeps its own line. The lines below it are left out, starting from the end. */
function shortened(blocks: readonly Block[], rows: number): string[] {
  let spare = rows - blocks.length
  if (spare < 0) {
    const shown = blocks.slice(0, rows - 1).map(({ lines }) => lines[0] ?? '')
    return [...shown, `  and ${count(blocks.length - shown.length, 'more step')}`]
  }
  return blocks.flatMap(({ lines: [first = '', ...rest] }) => {
    if (rest.length <= spare) {
      spare -= rest.length
      return [first, ...rest]
    }
    if (spare === 0) return [first]
    const shown = rest.slice(0, spare - 1)
    spare = 0
    return [first, ...shown, `  and ${count(rest.length - shown.length, 'more line')}`]
  })
}

const plain: Style = (_format, text) => text

function symbol(line: Line, { now, style }: FrameView): string {
  switch (line.state) {
    case 'pending':
      return style('dim', '·')
    case 'running':
      return style('cyan', SPINNER[Math.floor(now / 100) % SPINNER.length] ?? '')
    case 'succeeded':
      return style('green', '✓')
    case 'waiting':
      return style('yellow', '?')
    case 'skipped':
      return style('dim', '-')
    case 'failed':
    case 'cancelled':
      return style('red', '✗')
  }
}

function activity(line: Line, { now, style }: FrameView): string {
  const took = line.took ?? (line.startedAt === undefined ? '' : formatDuration(Math.max(0, now - line.startedAt)))
  const time = took && style('dim', took)
  if (line.state !== 'running')
    return [line.note || (line.state === 'succeeded' ? line.uses : line.state), time].filter(Boolean).join('  ')
  if (line.outcome) return [itemsSoFar(line), time].filter(Boolean).join('  ')
  if (line.job) {
    const waited = formatDuration(line.job.waitedMs + Math.max(0, now - line.job.seenAt))
    return `${line.uses}  ${line.job.text}, waited ${waited}`
  }
  if (line.bytes) return `${line.uses}  ${bar(line.bytes)}  ${time}`
  return [line.uses, line.note, time].filter(Boolean).join('  ')
}

/** `12 of 20 items done, 2 failed, 3 running`. */
function itemsSoFar({ outcome, items }: Line): string {
  if (!outcome) return ''
  const { total, succeeded, failed } = outcome
  const waiting = items.filter(({ state }) => state === 'waiting').length
  const running = items.filter(({ state }) => state === 'running').length
  return [
    `${succeeded + failed.length} of ${count(total, 'item')} done`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(running > 0 ? [`${running} running`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a person`] : []),
  ].join(', ')
}

function bar({ sent, total }: { sent: number; total: number }): string {
  const share = total === 0 ? 1 : Math.min(1, sent / total)
  const full = Math.round(share * BAR_WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${formatBytes(sent)} of ${formatBytes(total)}`
}

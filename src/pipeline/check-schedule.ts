import { dirname, resolve } from 'node:path'
import type { DecodedText, UnreadText } from '../core/decode-text.ts'
import { closestName } from '../core/did-you-mean.ts'
import { type ScheduleTrigger, WEEKDAYS } from '../core/trigger.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import { dateHint } from '../expressions/date-functions.ts'
import { isTimeZone } from '../expressions/time-zone.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { DaysOffError, isDay } from '../triggers/schedule/days-off.ts'
import { type Cron, type CronProblem, isCron, readCron } from '../triggers/schedule/read-cron.ts'
import { parseDaysOff } from '../triggers/schedule/read-days-off.ts'
import { timeZone } from '../triggers/schedule/time-zone.ts'
import { scalarOffsets } from './scalar-offsets.ts'

/** The document that a schedule is in. */
export interface ScheduleSource {
  /** The path of the document as given. */
  readonly file: string
  readonly text: string
  /** If absent, the file with days off is not checked. */
  readonly readDocument?: ((path: string) => DecodedText | UnreadText | undefined) | undefined
  readonly policy?: DocumentPolicy | undefined
}

/** Checks that a schedule can fire, that its time zone exists, and that its days off can be read. */
export function checkSchedule(
  trigger: ScheduleTrigger,
  node: DocumentNode,
  source: ScheduleSource,
  reporter: DiagnosticCollector,
): void {
  const cron = checkCron(childOf(node, 'cron'), source.text, reporter)
  const zoneNode = childOf(node, 'timezone')
  const isZone = isTimeZone(trigger.timezone)
  if (zoneNode && textOf(zoneNode) !== undefined && !isZone) {
    reporter.wrongValue(`there is no time zone ${trigger.timezone}`, zoneNode, zoneHint(trigger.timezone))
  }
  const exclude = childOf(node, 'exclude')
  for (const date of itemsOf(childOf(exclude, 'dates'))) {
    const text = textOf(date)
    if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text) || isDay(text)) continue
    reporter.wrongValue(`there is no day ${text}`, date, dateHint(text) ?? 'such as 2026-12-25')
  }
  if (cron && daysLeft(cron, trigger.exclude.weekdays) === 0) {
    const message = 'the schedule never fires: all its weekdays are excluded'
    reporter.error(
      { code: 'never-fires', message, hint: 'pause it instead: audience schedule pause' },
      childOf(exclude, 'weekdays') ?? node,
    )
  }
  const fileNode = childOf(exclude, 'file')
  if (fileNode && isZone) checkDaysOff(trigger, fileNode, source, reporter)
}

function zoneHint(name: string): string {
  const offset = /^(?:UTC|GMT)([+-])0?(\d{1,2})$/i.exec(name)
  if (offset) {
    // In POSIX, a positive offset is west of Greenwich.
    const zone = `Etc/GMT${offset[1] === '+' ? '-' : '+'}${offset[2]}`
    return `write ${zone}, which has the opposite sign, or a place, such as Europe/Berlin`
  }
  const zones = Intl.supportedValuesOf('timeZone')
  const wanted = name.toLowerCase().replaceAll(' ', '_')
  const region = name.slice(0, name.lastIndexOf('/') + 1)
  const inRegion = zones.filter((zone) => region !== '' && zone.startsWith(region))
  const city = closestName(
    wanted.slice(region.length),
    inRegion.map((zone) => zone.slice(region.length)),
  )
  const found =
    zones.find((zone) => zone.toLowerCase() === wanted || zone.toLowerCase().endsWith(`/${wanted}`)) ??
    (city === undefined ? undefined : `${region}${city}`) ??
    (inRegion.length > 0 ? undefined : closestName(name, zones))
  return found === undefined ? 'such as America/New_York' : `did you mean ${found}?`
}

function checkCron(node: DocumentNode | undefined, text: string, reporter: DiagnosticCollector): Cron | undefined {
  const cron = textOf(node)
  if (node?.kind !== 'scalar' || cron === undefined) return undefined
  const read = readCron(cron)
  const offsets = scalarOffsets(text, node)
  const spanOf = ({ start, end }: CronProblem) => {
    const isWhole = start === 0 && end === cron.length
    return isWhole ? node : { start: offsets.at(start), end: offsets.at(Math.max(start, end - 1)) + 1 }
  }
  if (!isCron(read)) {
    const { message, hint, neverFires } = read
    reporter.error({ code: neverFires ? 'never-fires' : 'wrong-value', message, hint }, spanOf(read))
    return undefined
  }
  for (const doubt of read.doubts)
    reporter.warning({ code: 'long-step', message: doubt.message, hint: doubt.hint }, spanOf(doubt))
  return read
}

/** The number of days of the week on which a schedule fires. */
function daysLeft({ daysOfMonth, daysOfWeek }: Cron, excluded: readonly string[]): number {
  const days = WEEKDAYS.filter((_, index) => daysOfMonth || !daysOfWeek || daysOfWeek.has((index + 1) % 7))
  return days.filter((day) => !excluded.includes(day)).length
}

function checkDaysOff(
  { exclude: { file }, timezone }: ScheduleTrigger,
  node: DocumentNode,
  source: ScheduleSource,
  reporter: DiagnosticCollector,
): void {
  if (!source.readDocument || file === undefined) return
  const path = resolve(dirname(source.file), file)
  // The file is not read at all, because an error would reveal its content.
  const problem = source.policy?.file(resolve(path), dirname(resolve(source.file)))
  if (problem) {
    reporter.error(problem, node)
    return
  }
  const document = source.readDocument(path)
  if (!document || 'unread' in document) {
    const why = document ? `: ${document.unread}` : ''
    const hint = 'name a calendar (.ics) or a text file with one date per line; the path is relative to this document'
    reporter.wrongValue(`the days off in ${file} cannot be read${why}`, node, hint)
    return
  }
  try {
    parseDaysOff(path, document, timeZone(timezone))
  } catch (error) {
    if (!(error instanceof DaysOffError)) throw error
    const { message, hint } = error
    reporter.error(
      {
        code: 'wrong-value',
        message: `the days off in ${file} cannot be used: ${message}`,
        hint: `${hint}; if such a mistake were ignored, runs could start on days off`,
      },
      node,
    )
  }
}

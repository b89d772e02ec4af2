import { closestName } from '../../core/did-you-mean.ts'
import { count } from '../../core/format/figures.ts'

/** When a schedule fires, from the five fields of a cron line. */
export interface Cron {
  /** Each field is sorted and has at least one value. */
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly months: ReadonlySet<number>
  /** Missing if every day matches. */
  readonly daysOfMonth?: ReadonlySet<number>
  /**
   * Numbered from 0, which is Sunday; missing if every day matches. If both day fields are present, a day that matches
   * either one counts.
   */
  readonly daysOfWeek?: ReadonlySet<number>
  /**
   * The minute or hour is `*` or a step of `*`: the schedule is an interval rather than fixed times. Clock changes
   * treat the two differently, as in Vixie cron.
   */
  readonly isInterval: boolean
}

interface ReadCron extends Cron {
  /** Probable mistakes, although the schedule fires. */
  readonly doubts: readonly CronProblem[]
}

/** The error in a cron line and its position: offsets in UTF-16 units. */
export interface CronProblem {
  /** The line is well-formed, but matches no existing day. */
  readonly neverFires?: true
  readonly message: string
  readonly hint: string
  readonly start: number
  readonly end: number
}

interface Field {
  readonly name: string
  readonly low: number
  readonly high: number
  readonly names?: readonly string[]
  /**
   * The period after which its steps start again, such as the hour for minutes, and how many values the field has in
   * one period.
   */
  readonly round: { readonly name: string; readonly values: number }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const MINUTE: Field = { name: 'minute', low: 0, high: 59, round: { name: 'hour', values: 60 } }
const HOUR: Field = { name: 'hour', low: 0, high: 23, round: { name: 'day', values: 24 } }
const DAY_OF_MONTH: Field = { name: 'day of the month', low: 1, high: 31, round: { name: 'month', values: 31 } }
const MONTH: Field = { name: 'month', low: 1, high: 12, names: MONTHS, round: { name: 'year', values: 12 } }
/** 0 and 7 are both Sunday. */
const DAY_OF_WEEK: Field = { name: 'day of the week', low: 0, high: 7, names: DAYS, round: { name: 'week', values: 7 } }

/**
 * Reads a cron line of five fields: numbers, names (`mon`, `jan`), `*`, ranges `1-5`, steps such as `0-30/10`, and
 * lists of them. It does not use the package `cron`. That package refuses the same lines but does not say which field
 * is wrong, and its `toJSON` reads `0-5` as every day of the week.
 */
export function readCron(text: string): ReadCron | CronProblem {
  const words = [...text.matchAll(/\S+/g)]
  if (words.length !== 5) return wrongShape(text)
  const values: ReadonlySet<number>[] = []
  const doubts: CronProblem[] = []
  for (const [index, field] of [MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK].entries()) {
    const word = words[index]
    if (!word) return wrongShape(text)
    const placed = (problem: FieldProblem) => ({
      ...problem,
      start: word.index + problem.start,
      end: word.index + problem.end,
    })
    const read = readField(word[0], field)
    if ('message' in read) return placed(read)
    values.push(read.values)
    doubts.push(...read.doubts.map(placed))
  }
  const [minutes, hours, daysOfMonth, months, weekdays] = values
  if (!minutes || !hours || !daysOfMonth || !months || !weekdays) return wrongShape(text)
  const daysOfWeek = new Set([...weekdays].map((day) => day % 7))
  const cron = {
    isInterval: words.slice(0, 2).some(([word]) => word.includes('*')),
    minutes: sorted(minutes),
    hours: sorted(hours),
    months,
    daysOfMonth: daysOfMonth.size < 31 ? daysOfMonth : undefined,
    daysOfWeek: daysOfWeek.size < 7 ? daysOfWeek : undefined,
    doubts,
  }
  return neverFires(cron, text) ?? cron
}

export function isCron(read: ReadCron | CronProblem): read is ReadCron {
  return !('message' in read)
}

type FieldProblem = Omit<CronProblem, 'neverFires'>

interface FieldValues {
  readonly values: ReadonlySet<number>
  readonly doubts: readonly FieldProblem[]
}

function readField(text: string, field: Field): FieldValues | FieldProblem {
  const values = new Set<number>()
  const doubts: FieldProblem[] = []
  let start = 0
  for (const part of text.split(',')) {
    const place = { start, end: start + Math.max(part.length, 1) }
    const read = readPart(part, field)
    if ('message' in read) return { ...read, ...place }
    for (const value of read.values) values.add(value)
    if (read.doubt) doubts.push({ ...read.doubt, ...place })
    start += part.length + 1
  }
  return { values, doubts }
}

type PartProblem = Pick<CronProblem, 'message' | 'hint'>

function readPart(
  part: string,
  field: Field,
): PartProblem | { readonly values: readonly number[]; readonly doubt?: PartProblem | undefined } {
  const match = /^(?:(\*)|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/([0-9]{1,4}))?$/i.exec(part)
  if (!match) return { message: `the ${field.name} cannot be "${part}"`, hint: hintFor(part, field) }
  const [, star, from, to, by] = match
  const low = star ? field.low : numberOf(from ?? '', field)
  // As in every cron, `5/15` runs to the end of the field and `5` is one value.
  const high = star || (to === undefined && by) ? field.high : to === undefined ? low : numberOf(to, field)
  for (const [value, written] of [[low, from] as const, [high, to] as const]) {
    if (value === undefined || value < field.low || value > field.high) {
      return { message: `the ${field.name} cannot be ${written}`, hint: hintFor(part, field) }
    }
  }
  const step = by === undefined ? 1 : Number(by)
  if (low === undefined || high === undefined || step === 0) {
    return { message: `the ${field.name} ${part} has a step of zero`, hint: `such as ${exampleOf(field)}` }
  }
  if (low > high) {
    return {
      message: `the ${field.name} ${part} goes backwards`,
      hint: `write ${from}-${field.high},${field.low}-${to}`,
    }
  }
  const values: number[] = []
  for (let value = low; value <= high; value += step) values.push(value)
  const isAlone = values.length === 1 && low < high && step !== field.round.values
  return { values, doubt: isAlone ? longStep(part, { first: from ?? String(low), high, step }, field) : undefined }
}

/** A probable mistake: a step that is so long that the range has only its first value. */
function longStep(
  part: string,
  { first, high, step }: { first: string; high: number; step: number },
  field: Field,
): PartProblem {
  const hours = step / MINUTE.round.values
  const isHours = field === MINUTE && Number.isInteger(hours) && hours < HOUR.round.values
  return {
    message: `the ${field.name} ${part} means only ${first}: a step of ${step} leads beyond ${high}`,
    hint: isHours
      ? `for every ${count(hours, 'hour')} write ${first} as the minute and */${hours} as the hour`
      : `write ${first} if you mean that: steps begin again in each ${field.round.name}`,
  }
}

function hintFor(part: string, field: Field): string {
  const [name = ''] = /[a-z]{3,}/gi.exec(part.replace(/^.*-/, '')) ?? []
  // `thurs` is longer than `thu`, and begins with it.
  const close = field.names?.filter((known) => closestName(name.slice(0, 3), [known]) !== undefined) ?? []
  return (
    ofOtherSystems(part, field) ??
    (name !== '' && close.length === 1 ? `did you mean ${close[0]}?` : undefined) ??
    `the ${field.name} goes from ${field.low} to ${field.high}, such as ${exampleOf(field)}`
  )
}

/** What to write instead of the characters `?`, `L`, `W` and `#` of other systems. */
function ofOtherSystems(part: string, field: Field): string | undefined {
  if (part === '?') return 'write * for any day'
  const condition = 'and give the trigger this `if`'
  if (/^L$/i.test(part) && field === DAY_OF_MONTH)
    return `write 28-31, ${condition}: \${{ addDays(trigger.date, 1).endsWith("-01") }}`
  const [, day, sign, place] = /^(\w{1,3}?)(?:(L|W)|#([1-5]))$/i.exec(part) ?? []
  if (day === undefined) return undefined
  if (sign?.toUpperCase() === 'W') return `write ${day}: a day at the weekend is not moved to another day`
  if (field !== DAY_OF_WEEK) return undefined
  const inMonth = place
    ? `(int(trigger.date.substring(8)) + 6) / 7 == ${place}`
    : '!addDays(trigger.date, 7).startsWith(trigger.date.substring(0, 7))'
  return `write ${day}, ${condition}: \${{ ${inMonth} }}`
}

function numberOf(text: string, { names, low }: Field): number | undefined {
  if (/^[0-9]{1,4}$/.test(text)) return Number(text)
  const index = names?.indexOf(text.toLowerCase()) ?? -1
  return index < 0 ? undefined : index + low
}

function exampleOf(field: Field): string {
  const first = field.names?.[1] ?? String(field.low + 1)
  return field.names ? `${first} or ${field.names[0]}-${field.names[4]}` : `${first}, ${first}-${field.low + 5} or */5`
}

/** A month may have no day with that number: 31 February, 31 April. */
function neverFires(cron: Cron, text: string): CronProblem | undefined {
  const { daysOfMonth, daysOfWeek, months } = cron
  if (!daysOfMonth || daysOfWeek) return undefined
  const first = Math.min(...daysOfMonth)
  const longest = Math.max(...[...months].map((month) => LENGTHS[month - 1] ?? 0))
  if (first <= longest) return undefined
  const start = text.search(/\S/)
  return {
    neverFires: true,
    message: `the schedule never fires: there is no ${[...months].map((month) => `${first} ${MONTH_NAMES[month - 1]}`).join(' or ')}`,
    hint: `the day of the month can be at most ${longest} there`,
    start,
    end: text.trimEnd().length,
  }
}

/** The lengths of the months in a leap year. */
const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ')

function wrongShape(text: string): CronProblem {
  const shorthand = SHORTHANDS[text.trim().toLowerCase()] ?? withoutSeconds(text)
  return {
    message: 'the cron expression must have five fields: minute, hour, day, month, day of the week',
    hint: shorthand ? `write "${shorthand}"` : 'such as "0 2 * * *", every day at two',
    start: 0,
    end: text.length,
  }
}

/** The line without its first field, if there are six. */
function withoutSeconds(text: string): string | undefined {
  const [, ...rest] = text.trim().split(/\s+/)
  const line = rest.join(' ')
  return rest.length === 5 && isCron(readCron(line)) ? line : undefined
}

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

function sorted(values: ReadonlySet<number>): number[] {
  return [...values].sort((a, b) => a - b)
}

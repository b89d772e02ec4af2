/** What started a run, as stored in its row. */
export interface RunStart {
  /** `manual`, `schedule`, `watch`, `after` or `run`. */
  readonly triggerKind: string
  /** Which slot, file, run or pipelines that was, as `labelOfTrigger` writes it. */
  readonly triggerLabel: string
  readonly startedBy?: string | undefined
  /** The run that it repeats. */
  readonly seededFrom?: string | undefined
  /** In milliseconds since 1970. */
  readonly submittedAt: number
}

export interface StartParts {
  readonly what: string
  /** The run that belongs to `what`. */
  readonly runId?: string | undefined
  /** The name of the person, with the text before it: `, by Ana`. */
  readonly who?: string
}

/**
 * What started a run, in the same words everywhere: `slot 02:00 of night (Europe/Berlin)`, `file list.csv`,
 * `after nightly`, `by hand, Ana`, `run 20261122t102203-x7f3kq`, `retry of 20261122t102203-x7f3kq, by Ana`.
 */
export function startText(start: RunStart): string {
  const { what, runId = '', who = '' } = startParts(start)
  return `${what} ${runId}`.trimEnd() + who
}

/** What started a run, in parts, for views that show a run as a link. */
export function startParts({ triggerKind, triggerLabel, startedBy, seededFrom, submittedAt }: RunStart): StartParts {
  const by = startedBy === undefined ? undefined : `, by ${startedBy}`
  if (seededFrom !== undefined) return { what: 'retry of', runId: seededFrom, who: by }
  switch (triggerKind) {
    case 'schedule':
      return { what: `slot ${slotText(triggerLabel, submittedAt)}`, who: by }
    case 'watch':
      return { what: `file ${triggerLabel}`, who: by }
    case 'after':
      return { what: `after ${triggerLabel}`, who: by }
    case 'run':
      return { what: 'run', runId: triggerLabel, who: by }
    default:
      return { what: 'by hand', who: startedBy === undefined ? undefined : `, ${startedBy}` }
  }
}

const LABEL = /^(?<id>\S+) (?<date>\d{4}-\d\d-\d\d) (?<time>\d\d:\d\d) (?<zone>\S+)$/
const HOUR_MS = 3_600_000

/**
 * Includes the date, unless the slot is the latest one at that time of day. A backfill also runs slots from long ago.
 */
function slotText(label: string, submittedAt: number): string {
  const { id, date, time, zone } = LABEL.exec(label)?.groups ?? {}
  if (id === undefined) return label
  const laterMs = submittedAt - Date.parse(`${date}T${time}Z`)
  // Ignores the offset of the zone, which is between -12 and 14 hours. A slot without a date always came less than 24
  // hours before the run.
  const isLast = laterMs >= -14 * HOUR_MS && laterMs < 10 * HOUR_MS
  return `${isLast ? '' : `${date} `}${time} of ${id} (${zone})`
}

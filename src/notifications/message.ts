import { formatPosition } from '../core/diagnostic.ts'
import { withVisibleMarks } from '../core/format/visible-marks.ts'
import type { Notification } from '../core/notification.ts'
import type { Severity } from '../core/notify-rule.ts'
import { withoutUndefined } from '../core/without-undefined.ts'

/** One message to people: one notification, or several of the same event and pipeline. Every format renders it. */
export interface Message {
  /** The same key for the same notifications, so that a receiver can recognise a repeated message. */
  readonly key: string
  readonly event: Notification['event'] | 'test'
  readonly ends?: Notification['ends']
  /** The time of the newest notification, in milliseconds since 1970. */
  readonly at: number
  readonly title: string
  readonly owner?: string | undefined
  readonly severity?: Severity | undefined
  /** The page of the console that shows it, if the console has a known address. */
  readonly link?: string | undefined
  /** Where it happened: `['Run', '2026…']`. */
  readonly facts: readonly (readonly [label: string, value: string])[]
  /** The problem, and what the runner suggests. */
  readonly paragraphs: readonly string[]
  /** Commands to paste. */
  readonly next: readonly string[]
  readonly notifications: readonly LinkedNotification[]
}

interface LinkedNotification extends Notification {
  readonly link?: string | undefined
}

/** How many texts of several notifications are shown; equal texts count as one. */
const TOLD_ONE_BY_ONE = 5
/** The limit of a paragraph in UTF-16 units, so that six paragraphs stay under the 28 kB that Teams accepts. */
const MAX_PARAGRAPH = 1200
/** The limit of each line of a summary, which has at most 43 lines. */
const MAX_DETAIL = 200

/**
 * The message about notifications of one event and one pipeline, oldest first. Names of files and items may come from
 * others, so characters that reverse or hide text are removed from what people read. `consoleUrl` ends with a slash.
 */
export function writeMessage(notifications: Several, consoleUrl?: string): Message {
  const { title, facts, paragraphs, next, ...rest } = readableOf(notifications, consoleUrl)
  return {
    ...rest,
    title: withVisibleMarks(title),
    facts: facts.map(([label, value]) => [label, withVisibleMarks(value)]),
    paragraphs: paragraphs.map(withVisibleMarks),
    next: next.map(withVisibleMarks),
  }
}

type Several = readonly [Notification, ...Notification[]]

function readableOf(notifications: Several, consoleUrl: string | undefined): Message {
  const [first, ...others] = notifications
  const linkTo = (page: string) => (consoleUrl === undefined ? undefined : new URL(page, consoleUrl).href)
  const { event, ends, owner, severity } = others.at(-1) ?? first
  const base = {
    event,
    ends,
    owner,
    severity,
    at: (others.at(-1) ?? first).at,
    notifications: notifications.map(({ page, ...one }) => ({ ...one, link: linkTo(page ?? pageOf(one)) })),
  }
  if (others.length === 0) {
    return {
      ...base,
      key: first.key,
      title: first.title,
      link: base.notifications[0]?.link,
      facts: factsOf(first),
      paragraphs: [...errorLines(first), ...(first.details ?? []).map((text) => shortened(text, MAX_DETAIL))],
      next: first.next,
    }
  }
  const texts = Map.groupBy(notifications, ({ title, error }) =>
    shortened([title, error?.message].filter((text) => text !== undefined).join(': ')),
  )
  const told = [...texts].slice(0, TOLD_ONE_BY_ONE)
  const rest = notifications.length - told.flatMap(([, alike]) => alike).length
  return {
    ...base,
    key: `${first.key}+${others.length}`,
    title: TITLES[first.event](first, notifications.length),
    link: linkTo(pageOfMany(first)),
    facts: answersOf({ pipeline: first.pipeline, owner, severity }),
    paragraphs: [
      ...told.map(([text, alike]) => (alike.length === 1 ? text : `${text} (${alike.length} times)`)),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    next: [...new Set(notifications.flatMap(({ next }) => next.slice(0, 1)))].slice(0, TOLD_ONE_BY_ONE),
  }
}

function pageOf({ runId, pipeline }: Notification): string {
  return runId === undefined ? `pipelines/${encodeURIComponent(pipeline)}` : `runs/${encodeURIComponent(runId)}`
}

/** The page with the runs of the pipeline that need attention. */
function pageOfMany(first: Notification): string {
  if (first.pipeline === '') return first.page ?? ''
  if (first.runId === undefined) return pageOf(first)
  const status = { failure: 'failed', approval: 'waiting', decision: 'waiting' }[String(first.event)]
  return `runs?${new URLSearchParams(withoutUndefined({ pipeline: first.pipeline, status }))}`
}

/** The message that tests a channel. */
export function testMessage(channel: string, at: number, link?: string): Message {
  return {
    key: `test/${at}`,
    event: 'test',
    at,
    title: `Test of channel ${channel}`,
    link,
    facts: [],
    paragraphs: ['Messages about pipelines will come here. Nothing has happened, and you need not do anything.'],
    next: [],
    notifications: [],
  }
}

/** A message as plain text: for e-mail, and for receivers that show a `text`. */
export function plainText({ facts, link, paragraphs, next }: Message): string {
  const lines = link === undefined ? facts : [...facts, ['Console', link] as const]
  const blocks = [
    lines.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...paragraphs,
    next.length > 0 ? ['What to do next:', ...next.map((command) => `  ${command}`)].join('\n') : '',
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

/** Text cut to at most `length` UTF-16 units. */
export function shortened(text: string, length = MAX_PARAGRAPH): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function factsOf({ source, trigger, runId, step, error, ...answers }: Notification): (readonly [string, string])[] {
  return [
    ...known({ Source: source }),
    ...answersOf(answers),
    ...known({ Trigger: trigger, Run: runId, Step: step, Where: error?.at && formatPosition(error.at) }),
  ]
}

/** The pipeline, if it is about one, with its owner and severity. */
function answersOf({ pipeline, owner, severity }: Pick<Notification, 'pipeline' | 'owner' | 'severity'>) {
  return known({ Pipeline: pipeline || undefined, Severity: severity, Owner: owner })
}

function known(facts: Readonly<Record<string, string | undefined>>): (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))
}

function errorLines({ error }: Notification): string[] {
  if (!error) return []
  const request = error.request?.requestId === undefined ? '' : ` (request ${error.request.requestId})`
  return [
    shortened(`${error.message}${request}`),
    ...(error.hint === undefined ? [] : [shortened(`What to do: ${error.hint}`)]),
  ]
}

/** What several notifications of one event say together. */
const TITLES: Readonly<Record<Notification['event'], (first: Notification, count: number) => string>> = {
  failure: ({ pipeline, runId }, count) =>
    runId === undefined ? `${pipeline} failed ${count} times` : `${count} runs of ${pipeline} failed`,
  partial: ({ pipeline }, count) => `${count} runs of ${pipeline} succeeded, but parts of them failed`,
  warning: ({ pipeline }, count) => `guards warned in ${count} runs of ${pipeline}`,
  summary: (_, count) => `${count} summaries`,
  answered: ({ pipeline }) => `${pipeline} no longer waits for an answer`,
  recovery({ pipeline, source }) {
    if (source !== undefined) return `the source ${source} works again`
    return pipeline === '' ? 'the problem that concerned all pipelines is solved' : `${pipeline} works again`
  },
  decision: ({ pipeline }, count) => `${pipeline} needs ${count} decisions`,
  approval: ({ pipeline }, count) => `${pipeline} waits for ${count} approvals`,
  missed: ({ pipeline }, count) => `${pipeline} missed ${count} scheduled times`,
  skipped: ({ pipeline }) => `slots of ${pipeline} were skipped`,
  late: ({ pipeline }, count) => `${count} runs of ${pipeline} are late`,
  partnerWaits: ({ pipeline }, count) => `${count} steps of ${pipeline} wait for partners`,
  stuck: ({ pipeline }, count) => `no process is working on ${count} runs of ${pipeline}`,
  optOuts: (_, count) => `${count} opt-out lists cannot be used`,
  deployment: (_, count) => `${count} messages about deployments`,
  source: ({ source }, count) => `${count} messages about the source ${source}`,
}

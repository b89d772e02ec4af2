import { elapsedMs } from '../../core/duration.ts'
import { formatDuration, formatRoughDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { partnerText } from '../../core/format/partner-text.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import { printableData } from '../../core/printable.ts'
import { stepKey } from '../../core/run.ts'
import { describeService, isOfService, syntheticNote } from '../../core/service-ref.ts'
import { shellWord } from '../../core/shell-word.ts'
import { sourcePath } from '../../core/trigger.ts'
import { describeSent, describeSignature } from '../../runs/describe-signed.ts'
import { workerName } from '../../state/worker-row.ts'
import type { DaemonStatus, FolderStatus, SourceStatus, StatusReport } from '../../status/status-report.ts'
import { waitingText } from '../../status/waiting-sets.ts'
import { outcomesText } from './outcomes.ts'
import type { Style } from './style.ts'
import { writeTime } from './write-time.ts'

const LABEL_WIDTH = 15
/** How many items are listed in full. The others are replaced by a number, so that the status fits one screen. */
const MOST_LISTED = 5

/** Only `current` is fine. In every other state, new commits are not used. */
function deploymentText(
  { state, commit, since }: NonNullable<StatusReport['deployment']>,
  now: string,
  style: Style,
): string {
  const inUse = commit === undefined ? 'nothing is deployed yet' : `${shortCommit(commit)} is in use`
  if (state === 'current') return inUse
  const time = since === undefined ? '' : ` for ${sinceText(since, now)}`
  return `${style(state === 'refused' ? 'red' : 'yellow', `${state}${time}`)}; ${inUse}: audience deploy status`
}

/** The status for people: one line per fact, starting with what needs attention. */
export function renderStatus(given: StatusReport, style: Style): string[] {
  const report = printableData(given)
  const { runs, underWay, needsYou, blocked, partnerWaits, failures, schedules, folders, notifications, problems } =
    report
  const line = (label: string, text: string) => `${style('bold', label.padEnd(LABEL_WIDTH))}${text}`
  return [
    line('daemon', daemonText(report, style)),
    ...otherVersionLines(report, style),
    ...(report.daemon.notReady ?? []).map(({ check, reason }) => entry(style('red', `not ready: ${check}: ${reason}`))),
    ...(report.workers ? [line('workers', workersText(report.workers))] : []),
    line('service', serviceText(report.service)),
    ...report.otherServices.map((other) =>
      entry(`${count(other.runs, 'unfinished run')} of ${describeService(other)}, such as ${other.oldestRunId}`),
    ),
    line('state', report.state),
    line('pipelines', report.pipelines),
    ...(report.deployment ? [line('deployment', deploymentText(report.deployment, report.at, style))] : []),
    line('runs', runsText(runs)),
    line('last day', lastDayText(runs.lastDay)),
    line('notifications', `${notifications.pending} to be delivered, ${notifications.failed} could not be delivered`),
    ...section('muted', notifications.mutes, style, ({ pipelines, until, by, comment }) => [
      `${pipelines} until ${timeOf(until)}${describeSignature({ by, comment })}`,
    ]),
    ...unsharedLines(needsYou, style),
    ...section(
      'needs you',
      needsYou.filter((wanted) => !('path' in wanted)),
      style,
      (wanted) => [
        `${nameOf(wanted)}: ${'sent' in wanted && wanted.sent ? describeSent(wanted.sent) : wanted.message}`,
        ...('elsewhere' in wanted && wanted.elsewhere !== undefined ? [style('yellow', `  ${wanted.elsewhere}`)] : []),
        ...wanted.commands.map((command) => `  ${command}`),
      ],
    ),
    ...section('under way', underWay, style, ({ runId, pipeline, beganAt, owner, partnerWaits: wait }) => [
      `${runId}  ${pipeline}, for ${sinceText(beganAt, report.at)}, ${wait ? `${partnerText(wait)}, ` : ''}${owner}`,
    ]),
    ...section('partners', partnerWaits, style, ({ runId, step, counterpart, since }) => [
      `${runId}  ${step} ${partnerText({ counterpart })}, for ${sinceText(since, report.at)}`,
    ]),
    ...section('waits', blocked, style, ({ runId, step, message, commands }) => [
      `${runId}  ${step} ${message}`,
      ...commands.map((command) => `  ${command}`),
    ]),
    ...section(
      'failed',
      failures,
      style,
      ({ runId, pipeline, step, message, failures: times, firstAt, finishedAt }) => [
        `${runId}  ${pipeline}${step ? `  ${step}` : ''}: ${message}`,
        ...(times > 1 ? [`  ${times} times, from ${timeOf(firstAt)} to ${timeOf(finishedAt)}`] : []),
        `  audience runs show ${runId}`,
        `  audience runs acknowledge ${runId} --comment …`,
      ],
    ),
    ...moreFailuresLines(report.moreFailures),
    ...section('not valid', problems, style, ({ file, messages }) => [
      `${withFile(file, messages[0])}${messages.length > 1 ? ` (and ${messages.length - 1} more)` : ''}`,
    ]),
    line('slots', slotsText(schedules)),
    ...schedules.next.map(({ pipeline, trigger, local, timezone, startsAt }) =>
      entry(`${local.replace(OFFSET, '')} ${timezone}  ${pipeline}/${trigger}, ${untilText(startsAt, report.at)}`),
    ),
    ...section('paused', schedules.paused, style, ({ pipeline, trigger, since }) => [
      `${pipeline}/${trigger}, since ${timeOf(since)}`,
    ]),
    ...section('clock', schedules.ahead, style, ({ pipeline, trigger, decidedUntil }) => [
      `${pipeline}/${trigger} has already decided about its slots until ${timeOf(decidedUntil)}: the clock was ahead then, or is behind now`,
    ]),
    ...section('removed', schedules.removed, style, ({ pipeline, trigger, message, commands }) => [
      `${pipeline}/${trigger}: ${message}`,
      ...commands.map((command) => `  ${command}`),
    ]),
    ...section('after', report.after, style, ({ pipeline, trigger, pipelines, due, lastDay, waiting }) => [
      `${pipeline}/${trigger}, after ${pipelines.join(', ')}; last day ${outcomesText({ ...lastDay, due })}`,
      ...waiting.slice(0, MOST_WAITING).map((set) => `  waits ${waitingText(set, writeTime)}`),
    ]),
    ...section(
      'folders',
      folders.toSorted(busiestFirst),
      style,
      ({ path, pipeline, trigger, open, lastDay, ignored, warnings = [] }) => [
        `${path}  ${pipeline}/${trigger}: ${open} under way; last day ${outcomesText(lastDay)}`,
        ...warnings.map((warning) => `  ${style('yellow', 'warning')}: ${warning}`),
        ...(lastDay.failed > 0 ? ['  audience files list'] : []),
        ...ignored.map(({ file, reason }) => `  ignored: ${file}: ${reason}`),
      ],
    ),
    ...section('sources', report.sources.toSorted(troubledFirst), style, (source) =>
      sourceLines(source, report.at, style),
    ),
  ]
}

function sourceLines(status: SourceStatus, now: string, style: Style): string[] {
  const { pipeline, trigger, waiting, open, lookedAt, problem, lastDay, sets = [] } = status
  const lacking = sets.filter(({ missing }) => missing.length > 0)
  const looked =
    lookedAt === undefined
      ? 'not checked yet'
      : `checked ${formatRoughDuration(elapsedMs(Date.parse(lookedAt), Date.parse(now)))} ago`
  return [
    `${sourcePath(status)}  ${pipeline}/${trigger}: ${waiting} waiting, ${open} under way, ${looked}; last day ${outcomesText(lastDay)}`,
    ...(problem ? [`  ${style('yellow', problemText(problem, now))}`] : []),
    ...lacking.slice(0, MOST_WAITING).map((set) => `  ${lackingText(set)}`),
  ]
}

/** For example, `set 0412: b_0412.csv is missing, until 14:00`. */
function lackingText({ name, missing, until }: NonNullable<SourceStatus['sets']>[number]): string {
  const what = `set ${name}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
  return until === undefined ? what : `${what}, until ${timeOf(until)}`
}

function problemText({ code, message, hint, since }: NonNullable<SourceStatus['problem']>, now: string): string {
  const what = `${code} since ${timeOf(since)} (${sinceText(since, now)}): ${message}`
  return hint === undefined ? what : `${what}; ${hint}`
}

function moreFailuresLines({ unlisted, acknowledged }: StatusReport['moreFailures']): string[] {
  const parts = [
    ...(unlisted > 0 ? [`${count(unlisted, 'more kind')} of failures`] : []),
    ...(acknowledged > 0 ? [`${count(acknowledged, 'kind')} of failures acknowledged`] : []),
  ]
  return parts.length === 0 ? [] : [entry(`${parts.join(', ')}: audience runs list --status failed --since 1d`)]
}

/** All folders that are not shared, with one command that marks them. */
function unsharedLines(needsYou: StatusReport['needsYou'], style: Style): string[] {
  const folders = needsYou.filter((wanted) => 'path' in wanted)
  if (folders.length === 0) return []
  const paths = [...new Set(folders.map(({ path }) => path))]
  return [
    style('bold', 'not shared'),
    ...folders.map(({ path, pipeline, trigger, message }) => entry(`${path}  ${pipeline}/${trigger}: ${message}`)),
    entry(`  audience workers share ${paths.map(shellWord).join(' ')}`),
  ]
}

function nameOf(wanted: StatusReport['needsYou'][number]): string {
  if ('path' in wanted) return wanted.path
  return `${wanted.runId}  ${wanted.pipeline}${'step' in wanted ? `  ${stepKey(wanted)}` : ''}`
}

function daemonText({ daemon, at, service }: StatusReport, style: Style): string {
  const now = Date.parse(at)
  const { state, pid, host, startedAt, url, console, version } = daemon
  if (state === 'stopped') return 'not running; start it with: audience start'
  const who = `process ${pid} on ${host}`
  if (state === 'gone')
    return `${style('red', 'not running')}: ${who}, started ${timeOf(startedAt)}, exited without a clean shutdown; start it with: audience start`
  if (pid === undefined || startedAt === undefined) return 'starting'
  const since = `since ${timeOf(startedAt)} (${formatDuration(Math.max(0, now - Date.parse(startedAt)))})`
  return `running${worksElsewhere(daemon, service)} ${since}, ${who}, version ${version}${url === undefined ? '' : `, ${url}`}${console === undefined ? '' : `, console ${console}`}${answerText(daemon, style)}`
}

/** The processes whose version differs from the version of this command. */
function otherVersionLines({ version, daemon, workers = [] }: StatusReport, style: Style): string[] {
  const running =
    daemon.state === 'running' && daemon.version !== undefined ? [{ who: 'the daemon', is: daemon.version }] : []
  const others = workers
    .filter(({ pid, host }) => pid !== daemon.pid || host !== daemon.host)
    .map(({ pid, host, version: is }) => ({ who: `process ${pid} on ${host}`, is }))
  return [...running, ...others].flatMap(({ who, is }) =>
    is === version
      ? []
      : [entry(style('yellow', `restart: ${who} has version ${is}, but this command has version ${version}`))],
  )
}

function workersText(workers: NonNullable<StatusReport['workers']>): string {
  if (workers.length === 0) return 'none'
  return workers
    .map((worker) => {
      const { runs, keeper, drainingSince } = worker
      const draining = drainingSince === undefined ? '' : `, draining since ${timeOf(drainingSince)}`
      return `${workerName(worker)}: ${count(runs, 'run')}${keeper ? ', keeper' : ''}${draining}`
    })
    .join('; ')
}

function serviceText(service: StatusReport['service']): string {
  if ('problem' in service) return `${service.problem}${service.hint === undefined ? '' : `; ${service.hint}`}`
  return `${describeService(service)}${syntheticNote(service)}`
}

/** The service of the daemon, if commands here would use another one; otherwise ''. */
function worksElsewhere(daemon: DaemonStatus, here: StatusReport['service']): string {
  const { profile, service } = daemon
  if (profile === undefined || service === undefined || 'problem' in here || isOfService({ profile, service }, here))
    return ''
  return ` at ${describeService({ profile, service })}${syntheticNote({ profile, service })}`
}

function answerText({ url, alive, load }: DaemonStatus, style: Style): string {
  if (url === undefined) return ''
  if (alive === undefined) return `; ${style('red', 'it does not answer')}`
  const works = load ? `; working on ${count(load.runs, 'run')}, waiting for ${count(load.waits, 'job')}` : ''
  return alive ? works : `${works}; ${style('red', 'it is stalled, see /healthz')}`
}

function runsText({ running, queued, waiting }: StatusReport['runs']): string {
  return `${running} running, ${queued} queued, ${waiting} waiting for a person`
}

function lastDayText({ succeeded, succeededInPart, failed, cancelled }: StatusReport['runs']['lastDay']): string {
  const inPart = succeededInPart > 0 ? ` (${succeededInPart} with items that failed)` : ''
  return `${succeeded} succeeded${inPart}, ${failed} failed, ${cancelled} cancelled`
}

function slotsText({ due, lastDay, next }: StatusReport['schedules']): string {
  return `last day ${outcomesText({ ...lastDay, due })}${next.length > 0 ? '; next:' : ''}`
}

/**
 * Puts the name of the file in front of the message, unless the message already begins with it, as most messages do.
 */
function withFile(file: string, message = ''): string {
  return message.startsWith(file) ? message : `${file}: ${message}`
}

/** How many waiting sets are shown for one trigger. */
const MOST_WAITING = 5

/** The offset at the end of a time. It adds nothing beside the name of a time zone. */
const OFFSET = / (?:Z|[+-]\d\d:\d\d)$/

function timeOf(time: string | undefined): string {
  return time === undefined ? '' : writeTime(Date.parse(time))
}

function busiestFirst(a: FolderStatus, b: FolderStatus): number {
  return troubleOf(b) - troubleOf(a)
}

function troubledFirst(a: SourceStatus, b: SourceStatus): number {
  const weight = ({ problem, waiting, open }: SourceStatus) => (problem ? 1e9 : 0) + waiting + open
  return weight(b) - weight(a)
}

function troubleOf({ open, lastDay }: FolderStatus): number {
  return open + lastDay.failed + lastDay.runFailed
}

function sinceText(from: string, at: string): string {
  return formatDuration(elapsedMs(Date.parse(from), Date.parse(at)))
}

function untilText(startsAt: string, at: string): string {
  return `in ${formatDuration(Math.max(0, Date.parse(startsAt) - Date.parse(at)))}`
}

function section<T>(label: string, items: readonly T[], style: Style, lines: (item: T) => readonly string[]): string[] {
  if (items.length === 0) return []
  const rest = items.length - MOST_LISTED
  return [
    style('bold', label),
    ...items.slice(0, MOST_LISTED).flatMap((item) => lines(item).map(entry)),
    ...(rest > 0 ? [entry(`and ${rest} more: see --json`)] : []),
  ]
}

function entry(text: string): string {
  return `  ${text}`
}

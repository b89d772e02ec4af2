import { relative } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import { didYouMean } from '../../core/did-you-mean.ts'
import { AudienceError } from '../../core/errors.ts'
import { type TriggerRef, triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { printable } from '../../core/printable.ts'
import type { ScheduleTrigger } from '../../core/trigger.ts'
import { documentsInUse } from '../../daemon/deployment/documents-in-use.ts'
import { type LiveDocument, triggersOf } from '../../daemon/documents/live-documents.ts'
import { fileCheck } from '../../policy/enforce.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { removedSchedules } from '../../status/removed-schedules.ts'
import type { RemovedSchedule } from '../../status/status-report.ts'
import type { NamedAfter } from '../../triggers/after/account-for-ends.ts'
import { createShares, type SharesMark } from '../../triggers/after/shares-mark.ts'
import { openSchedule } from '../../triggers/schedule/live-schedule.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { writeFitted } from '../views/text-width.ts'

export interface FoundSchedule extends Schedule {
  /** The path of its document, absolute. */
  readonly file: string
}

/** A schedule that starts runs only under other profiles. */
export interface OtherSchedule {
  readonly ref: TriggerRef
  readonly trigger: ScheduleTrigger
  readonly file: string
}

/** A trigger that starts runs after other pipelines. */
export interface FoundAfter extends NamedAfter {
  readonly kind: 'after'
  readonly shares: SharesMark
  readonly file: string
}

/**
 * The schedules of the pipelines folder, and the triggers that start runs after other pipelines, as `audience start`
 * would use them. With a name such as `nightly/drop` or `nightly`, returns only those that match it. Documents with
 * errors are reported on standard error and left out. Throws an AudienceError of the kind `usage` if none has the name.
 * `others` are the schedules of other profiles.
 */
export async function findSchedules(
  name: string | undefined,
  terminal: Terminal,
  { profile, mayBeRemoved = false }: { readonly profile?: string; readonly mayBeRemoved?: boolean } = {},
): Promise<{
  readonly settings: Settings
  readonly schedules: readonly FoundSchedule[]
  readonly afters: readonly FoundAfter[]
  readonly others: readonly OtherSchedule[]
  /** All documents. */
  readonly documents: ReadonlyMap<string, LiveDocument>
  /** Set only with `mayBeRemoved`: the error to throw if no removed schedule has the name either. */
  readonly unknown?: AudienceError | undefined
}> {
  const { cwd, err } = terminal
  const settings = settingsOf(terminal, { profile })
  const found = await documentsInUse(settings, terminal.surroundings)
  for (const { file, messages } of found.problems) {
    const more = messages.length > 1 ? ` (and ${messages.length - 1} more)` : ''
    const told = printable(`${relative(cwd, file) || file} is left out: ${withoutFile(messages[0], file)}${more}`)
    writeFitted(err, told)
  }
  const checkFile = fileCheck(settings.policy)
  const schedules = triggersOf(found.documents.values(), 'schedule').map((live) => ({
    ...openSchedule(live, { checkFile }),
    file: live.file,
  }))
  const shares = createShares(found.documents)
  const following = triggersOf(found.documents.values(), 'after').map((live): FoundAfter => {
    const { trigger, file } = live
    return { kind: 'after', ref: triggerRefOf(live), trigger, shares, file }
  })
  const elsewhere = [...found.documents.values()].flatMap(({ pipeline, file }) =>
    (pipeline.otherTriggers ?? []).flatMap((trigger) =>
      trigger.kind === 'schedule' ? [{ ref: triggerRefOf({ pipeline, trigger }), trigger, file }] : [],
    ),
  )
  const meant = named(name, schedules)
  const afters = named(name, following)
  const others = named(name, elsewhere)
  const { documents } = found
  if (name === undefined || meant.length + afters.length > 0)
    return { settings, schedules: meant, afters, others, documents }
  if (others[0]) throw otherProfile(others[0], settings)
  const unknown = unknownSchedule(name, [...schedules, ...following], settings)
  if (!mayBeRemoved) throw unknown
  return { settings, schedules: [], afters: [], others, documents, unknown }
}

/**
 * The removed schedules whose slots are due; with a name, only those that match it. If there is none, throws the error
 * `unknown` that `findSchedules` returned.
 */
export async function findRemoved(
  name: string | undefined,
  { documents, unknown }: Pick<Awaited<ReturnType<typeof findSchedules>>, 'documents' | 'unknown'>,
  occurrences: Pick<OccurrenceStore, 'triggersDue' | 'list'>,
): Promise<readonly RemovedSchedule[]> {
  const removed = await removedSchedules(documents.values(), occurrences)
  const meant = removed.filter((ref) => isNamed(name, ref))
  if (unknown && meant.length === 0) throw unknown
  return meant
}

/** The schedules that match a name, sorted by name. */
function named<Named extends { readonly ref: TriggerRef }>(name: string | undefined, all: readonly Named[]): Named[] {
  return all.filter(({ ref }) => isNamed(name, ref)).sort((a, b) => (triggerName(a.ref) < triggerName(b.ref) ? -1 : 1))
}

function isNamed(name: string | undefined, ref: TriggerRef): boolean {
  return name === undefined || name === ref.pipeline || name === triggerName(ref)
}

function otherProfile({ ref, trigger: { profiles = [] } }: OtherSchedule, { profileName }: Settings): AudienceError {
  return new AudienceError({
    code: 'other-profile',
    kind: 'usage',
    message: `${triggerName(ref)} starts runs only under ${profiles.join(', ')}, and the profile here is ${profileName}`,
    hint: `set AUDIENCE_PROFILE=${profiles[0]}`,
  })
}

/** The message without the path that it begins with. */
function withoutFile(message = '', file: string): string {
  return message.startsWith(`${file}:`) ? message.slice(file.length + 1) : message
}

function unknownSchedule(
  name: string,
  schedules: readonly { readonly ref: TriggerRef }[],
  { pipelines }: Settings,
): AudienceError {
  const names = schedules.flatMap(({ ref }) => [ref.pipeline, triggerName(ref)])
  return new AudienceError({
    code: 'unknown-schedule',
    kind: 'usage',
    message: `no document in ${pipelines} has a schedule ${name}`,
    hint: didYouMean(name, [...new Set(names)]) ?? '`audience schedule list` shows all schedules',
  })
}

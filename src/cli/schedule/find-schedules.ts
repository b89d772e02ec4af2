import { relative } from 'node:path'
import { findTriggers, unknownSchedule } from '../../acts/find-trigger.ts'
import type { Settings } from '../../config/settings.ts'
import { type AudienceError, usageError } from '../../core/errors.ts'
import { matchesTrigger, type TriggerRef, triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { printable } from '../../core/printable.ts'
import type { ScheduleTrigger } from '../../core/trigger.ts'
import { documentsInUse } from '../../daemon/deployment/documents-in-use.ts'
import { triggersOf } from '../../daemon/documents/live-documents.ts'
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
  { profile, mayBeRemoved = false }: { profile?: string; mayBeRemoved?: boolean } = {},
): Promise<{
  readonly settings: Settings
  readonly schedules: readonly FoundSchedule[]
  readonly afters: readonly FoundAfter[]
  readonly others: readonly OtherSchedule[]
  /** The removed schedules with the name. With `mayBeRemoved`, throws if no schedule has it, removed or not. */
  readonly removedIn: (
    occurrences: Pick<OccurrenceStore, 'triggersDue' | 'list'>,
  ) => Promise<readonly RemovedSchedule[]>
}> {
  const { cwd, err } = terminal
  const settings = settingsOf(terminal, { profile })
  const { documents, problems } = await documentsInUse(settings, terminal.surroundings)
  for (const { file, messages } of problems) {
    const more = messages.length > 1 ? ` (and ${messages.length - 1} more)` : ''
    const told = printable(`${relative(cwd, file) || file} is left out: ${withoutFile(messages[0], file)}${more}`)
    writeFitted(err, told)
  }
  const asked = askedBy(name)
  const checkFile = fileCheck(settings.policy)
  const schedules = findTriggers(documents.values(), 'schedule', asked).map((live) => ({
    ...openSchedule(live, { checkFile }),
    file: live.file,
  }))
  const shares = createShares(documents)
  const afters = findTriggers(documents.values(), 'after', asked).map((live): FoundAfter => {
    const { trigger, file } = live
    return { kind: 'after', ref: triggerRefOf(live), trigger, shares, file }
  })
  const others = [...documents.values()]
    .flatMap(({ pipeline, file }) =>
      (pipeline.otherTriggers ?? []).flatMap((trigger) =>
        trigger.kind === 'schedule' ? [{ ref: triggerRefOf({ pipeline, trigger }), trigger, file }] : [],
      ),
    )
    .filter(({ ref }) => matchesTrigger(asked, ref))
    .sort((a, b) => (triggerName(a.ref) < triggerName(b.ref) ? -1 : 1))
  const isFound = name === undefined || schedules.length + afters.length > 0
  if (!isFound && others[0]) throw otherProfile(others[0], settings)
  const known = [...triggersOf(documents.values(), 'schedule'), ...triggersOf(documents.values(), 'after')]
  const unknown = isFound ? undefined : unknownSchedule(name, known.map(triggerRefOf), settings)
  if (unknown && !mayBeRemoved) throw unknown
  const removedIn = async (occurrences: Pick<OccurrenceStore, 'triggersDue' | 'list'>) => {
    const removed = await removedSchedules(documents.values(), occurrences, asked)
    if (unknown && removed.length === 0) throw unknown
    return removed
  }
  return { settings, schedules, afters, others, removedIn }
}

/** The names in `nightly/drop` or `nightly`. */
function askedBy(name: string | undefined): Partial<TriggerRef> {
  if (name === undefined) return {}
  const [pipeline, ...rest] = name.split('/')
  return { pipeline, trigger: rest.length > 0 ? rest.join('/') : undefined }
}

function otherProfile({ ref, trigger: { profiles = [] } }: OtherSchedule, { profileName }: Settings): AudienceError {
  return usageError(
    'other-profile',
    `${triggerName(ref)} starts runs only under ${profiles.join(', ')}, and the profile here is ${profileName}`,
    `set AUDIENCE_PROFILE=${profiles[0]}`,
  )
}

/** The message without the path that it begins with. */
function withoutFile(message = '', file: string): string {
  return message.startsWith(`${file}:`) ? message.slice(file.length + 1) : message
}

import { relative } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import { didYouMean } from '../../core/did-you-mean.ts'
import { AudienceError } from '../../core/errors.ts'
import { triggerName } from '../../core/occurrence.ts'
import { printable } from '../../core/printable.ts'
import { PipelineDocuments } from '../../daemon/documents/pipeline-documents.ts'
import { pipelineReader } from '../../daemon/documents/read-pipeline.ts'
import { fileCheck } from '../../policy/enforce.ts'
import { openSchedule } from '../../triggers/schedule/live-schedule.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'

export interface FoundSchedule extends Schedule {
  /** The path of its document, absolute. */
  readonly file: string
}

/**
 * The schedules of the pipelines folder, by their names, as `audience start` would keep them; with a name such as
 * `nightly/drop` or `nightly`, only the schedules that match it. Documents with errors are reported on standard error
 * and left out. Throws an AudienceError of the kind `usage` if no schedule has the name.
 */
export async function findSchedules(
  name: string | undefined,
  terminal: Terminal,
): Promise<{ readonly settings: Settings; readonly schedules: readonly FoundSchedule[] }> {
  const { cwd, err } = terminal
  const settings = settingsOf(terminal)
  const found = new PipelineDocuments(settings.pipelines, pipelineReader(settings))
  await found.scan()
  for (const { file, messages } of found.problems) {
    const more = messages.length > 1 ? ` (and ${messages.length - 1} more)` : ''
    err.write(`${printable(`${relative(cwd, file) || file} is left out: ${withoutFile(messages[0], file)}${more}`)}\n`)
  }
  const checkFile = fileCheck(settings.policy)
  const schedules = [...found.documents.values()].flatMap(({ pipeline, file }) =>
    pipeline.triggers.flatMap((trigger) =>
      trigger.kind === 'schedule' ? [{ ...openSchedule({ pipeline, trigger }, { checkFile }), file }] : [],
    ),
  )
  const meant = schedules
    .filter(({ ref }) => name === undefined || name === ref.pipeline || name === triggerName(ref))
    .sort((a, b) => (triggerName(a.ref) < triggerName(b.ref) ? -1 : 1))
  if (name !== undefined && meant.length === 0) throw unknownSchedule(name, schedules, settings)
  return { settings, schedules: meant }
}

/** The message without the path that it begins with. */
function withoutFile(message = '', file: string): string {
  return message.startsWith(`${file}:`) ? message.slice(file.length + 1) : message
}

function unknownSchedule(name: string, schedules: readonly Schedule[], { pipelines }: Settings): AudienceError {
  const names = schedules.flatMap(({ ref }) => [ref.pipeline, triggerName(ref)])
  return new AudienceError({
    code: 'unknown-schedule',
    kind: 'usage',
    message: `no document in ${pipelines} has a schedule ${name}`,
    hint: didYouMean(name, [...new Set(names)]) ?? '`audience schedule list` shows those that there are',
  })
}

import { AudienceCommand, type CommandSetting } from './command.ts'
import { integerOption, PROFILE_OPTION } from './options.ts'

/** `audience schedule …`: the past and future of the schedules in the pipelines folder. */
export function scheduleCommand(setting: CommandSetting): AudienceCommand {
  const schedule = new AudienceCommand('schedule', setting)
    .description(
      'Shows the schedules of the pipelines folder and the outcomes of their slots; pauses, resumes and backfills them.',
    )
    .addHelpText(
      'after',
      `
A schedule is named PIPELINE/TRIGGER, as the document names them; PIPELINE alone means all of its schedules.
A TIME is 2026-03-08, 2026-03-08T02:00 (both in the schedule's time zone) or 2026-03-08T02:00:00Z.
A day alone means the start of that day.

Examples:
  audience schedule next -n 20
  audience schedule next --after 2026-11-01 auto-intenders-nightly --json
  audience schedule list
  audience schedule list auto-intenders-nightly/nightly
  audience schedule pause auto-intenders-nightly
  audience schedule backfill auto-intenders-nightly/nightly --from 2026-11-01 --to 2026-11-08 --only-missing
`,
    )
  schedule
    .command('next [schedule]')
    .description(
      'Shows the upcoming slots of all schedules in order, each in the time zone of its schedule and in the local one.',
    )
    .option('-n, --count <count>', 'how many', integerOption, 10)
    .option('--after <time>', 'only slots after this time; default: now')
    .option(...PROFILE_OPTION)
    .option('--json', 'one JSON object per slot, with pipeline, trigger, at')
    .calls(async () => (await import('./schedule/next.ts')).showNext)
  schedule
    .command('list [schedule]')
    .description(
      'Lists the schedules with their next and last slot, and the triggers that come after other pipelines. For one that you name, lists the outcome of each slot.',
    )
    .option('-n, --count <count>', 'how many slots to list for the schedule that you name', integerOption, 20)
    .option(...PROFILE_OPTION)
    .option('--json', 'one JSON object per schedule, or per slot')
    .calls(async () => (await import('./schedule/list.ts')).listSchedules)
  schedule
    .command('pause <schedule>')
    .description(
      'Pauses schedules. Until they are resumed, their slots are recorded as skipped, and slots that are already due wait.',
    )
    .signed()
    .calls(async () => (await import('./schedule/pause.ts')).pauseSchedules)
  schedule
    .command('resume <schedule>')
    .description('Resumes paused schedules. Slots that were skipped during the pause stay skipped.')
    .signed()
    .calls(async () => (await import('./schedule/pause.ts')).resumeSchedules)
  schedule
    .command('backfill <schedule>')
    .description(
      'Runs the slots of a period again, even those that ran before; `audience start` runs them, oldest first.',
    )
    .requiredOption('--from <time>', 'the first time')
    .requiredOption('--to <time>', 'the end, which is not included: a slot at this time, or on this day, does not run')
    .option('--only-missing', 'only slots without a run: missed, skipped, failed or never seen')
    .option('--withdraw', 'undo it: skip the slots of the period that are still due')
    .signed()
    .addHelpText(
      'after',
      `
The record of a slot stays as it is: further runs are listed as 2026-11-01T07:00:00.000Z#2, #3 and so on.
Slots on excluded days are left out. Running the same backfill again adds nothing while its slots wait to be run.
To undo a mistyped backfill, run the same command with --withdraw. It also takes a schedule that was renamed or removed.
`,
    )
    .calls(async () => (await import('./schedule/backfill.ts')).backfillSchedules)
  return schedule
}

import { Option } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'
import { integerOption, PROFILE_OPTION } from './options.ts'

/** `audience simulate [PATHS…]`. */
export function simulateCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('simulate', setting)
    .description(
      'Shows what the schedules of pipelines will do: every slot of the coming days. It runs some of these days in full, in a rehearsal, and shows the outcome of their slots. It needs no network and no state.',
    )
    .argument('[paths...]', 'documents, folders and globs; default: the pipelines folder')
    .option('--from <date>', 'the first day, such as 2026-10-20; default: today, in UTC')
    .option('--days <n>', 'how many days, at most 366', integerOption, 30)
    .option('--service <speed>', 'realistic (jobs take minutes), fast, or the path of a network.yaml', 'realistic')
    .addOption(
      new Option('--lists <lists>', 'whether each run finds a changed list or the same one')
        .choices(['changed', 'same'])
        .default('changed'),
    )
    .option(
      '--exact',
      'run all days in full, not only the first two, the days of clock changes and the day with the most slots',
    )
    .option(
      '--changed-since <ref>',
      'only pipelines that this branch touches, compared with their versions where it left this git ref',
    )
    .option('--fail-on <problems>', 'exit with 1 if there are any of these problems (separated by commas)')
    .addOption(
      new Option('--format <format>', 'the form of the output').choices(['table', 'json', 'markdown']).default('table'),
    )
    .option(...PROFILE_OPTION)
    .addHelpText(
      'after',
      `
Problems: late, skipped, queued, missed, failed, cancelled, waiting, unfinished.

Examples:
  audience simulate                                     the next 30 days of ./pipelines
  audience simulate pipelines/nightly.yaml --from 2026-10-20 --exact
  audience simulate --fail-on late,skipped              for CI: 1 if a run is late or skipped
  audience simulate --changed-since origin/main --format markdown      for a comment on a pull request

Exit codes: 0 simulated, 1 a problem of --fail-on was found, 3 a document has errors.
`,
    )
    .calls(async () => (await import('./simulate-pipelines.ts')).simulatePipelines)
}

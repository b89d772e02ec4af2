import { RUN_STATUSES } from '../core/format/statuses.ts'
import { AudienceCommand, type CommandSetting } from './command.ts'
import { integerOption, LOG_LEVEL_OPTION, OTHER_SERVICE_OPTION, PROFILE_OPTION, RUN_HELP } from './options.ts'

/** `audience runs …`: the history of runs, and commands to control them. */
export function runsCommand(setting: CommandSetting): AudienceCommand {
  const runs = new AudienceCommand('runs', setting)
    .description('The history of runs, and what you can do with them.')
    .examples(`
  audience runs list --since 1d --status failed
  audience runs show latest                                the newest run
  audience runs show 20261121t020003-x7f3kq2mzp
  audience runs show x7f3kq                                a part of the id, if only one run has it
  audience runs watch latest                               from another terminal
  audience runs resume x7f3kq --step activate --again
  audience runs retry x7f3kq --from match

${RUN_HELP}
`)
  runs
    .command('list')
    .description(
      'Lists runs, newest first: when each started, what started it, its inputs, how long it took, how it ended and why.',
    )
    .option('--pipeline <name>', 'only runs of this pipeline')
    .option(
      '--status <status...>',
      `only runs that are ${RUN_STATUSES.slice(0, -1).join(', ')} or ${RUN_STATUSES.at(-1)}`,
    )
    .option('--partial', 'only runs that succeeded although some of their steps or items failed')
    .option('--like <run>', 'only failures of the same pipeline and with the same kind of error as this run')
    .option('--trigger <name>', 'only runs of this trigger, by its id or kind: schedule, watch, after, manual or run')
    .option('--since <duration or time>', 'only runs since then: 12h, 7d, 2026-11-21 or 2026-11-21T06:00Z')
    .option('-n, --limit <count>', 'how many', integerOption, 20)
    .option('--json', 'one JSON object per run')
    .examples(`
  audience runs list
  audience runs list --pipeline quickstart --since 7d --status failed cancelled
  audience runs list --partial --since 1d
`)
    .calls(async () => (await import('./runs/list.ts')).listRuns)
  runs
    .command('show <run>')
    .description(
      'Shows a run: what started it, its inputs, who decided what, and its steps, attempts, waits and outputs as a timeline.',
    )
    .option('--json', 'one JSON object with runId, status, steps')
    .calls(async () => (await import('./runs/show.ts')).showRun)
  runs
    .command('logs <run>')
    .description('Prints the events of a run.')
    .option('-f, --follow', 'continue to print events until the run ends')
    .option('--json', 'one JSON event per line')
    .calls(async () => (await import('./runs/logs.ts')).logRun)
  runs
    .command('watch <run>')
    .description('Shows a run while another process works on it, until it ends. Ctrl-C stops only the watching.')
    .option('--exit-status', 'exit with 1 if the run does not succeed')
    .option('--json', 'one JSON event per line')
    .examples(`
  audience runs watch latest
  audience runs watch x7f3kq --exit-status && echo it succeeded
`)
    .calls(async () => (await import('./runs/watch.ts')).watchRun)
  runs
    .command('resume <run>')
    .description('Resumes a run that was interrupted, or that waits for a decision about a step.')
    .option('--step <step>', 'the step that the decision is about, such as activate or each[3]')
    .option('--done', 'the write that is in doubt has happened')
    .option('--again', 'it has not happened: do it again')
    .signed()
    .option('--json', 'one JSON event per line, as with run --json')
    .option(...PROFILE_OPTION)
    .option(...OTHER_SERVICE_OPTION)
    .option(...LOG_LEVEL_OPTION)
    .calls(async () => (await import('./runs/resume.ts')).resumeRun)
  runs
    .command('retry <run>')
    .description('Starts a new run with the same document and inputs; what succeeded is not done again.')
    .option('--from <step>', 'repeat this step and all steps that need it, even those that succeeded')
    .signed()
    .option('--json', 'one JSON event per line, as with run --json')
    .option(...PROFILE_OPTION)
    .option(...OTHER_SERVICE_OPTION)
    .option(...LOG_LEVEL_OPTION)
    .calls(async () => (await import('./runs/retry.ts')).retryRun)
  runs
    .command('cancel <run>')
    .description('Ends a run. Jobs that it started continue at the service: there is no way to stop them.')
    .signed()
    .option(...PROFILE_OPTION)
    .option(...OTHER_SERVICE_OPTION)
    .option(...LOG_LEVEL_OPTION)
    .calls(async () => (await import('./runs/cancel.ts')).cancelRunCommand)
  runs
    .command('approve <run> <step>')
    .description('Approves a step that is waiting for an approval.')
    .option('--reject', 'reject the step instead')
    .signed()
    .option(...PROFILE_OPTION)
    .option(...OTHER_SERVICE_OPTION)
    .examples(`
  audience runs approve latest release
  audience runs approve x7f3kq release --comment "the figures match the plan"
  audience runs approve x7f3kq release --reject --by "Ana Lopes" --comment "too few people"
`)
    .calls(async () => (await import('./runs/approve.ts')).approveStep)
  runs
    .command('acknowledge <run>')
    .description(
      'Marks a failure as seen. Failures of its pipeline with an error of the same kind, including later ones, are then no longer shown as new in status and console. This ends when the pipeline succeeds.',
    )
    .signed('what is known about it, and who repairs it; required')
    .calls(async () => (await import('./runs/acknowledge.ts')).acknowledge)
  runs
    .command('prune')
    .description(
      'Removes runs that ended long ago; other commands and audience start may run at the same time. The newest runs of each pipeline and its last successful one stay. audience start does the same automatically.',
    )
    .option(
      '--older-than <duration>',
      'only runs that ended longer ago than this, such as 30d; default: `retention` of audience.yaml',
    )
    .option(
      '--keep <count>',
      'how many of the newest runs of each pipeline stay; default: `retention` of audience.yaml',
      integerOption,
    )
    .option('--dry-run', 'only say how many runs would be removed')
    .signed()
    .calls(async () => (await import('./runs/prune.ts')).prune)
  return runs
}

/** `audience diff RUN RUN`. */
export function diffCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('diff', setting)
    .description(
      'Shows how the lists that two runs prepared differ: how many keys were added, removed and kept. It prints only figures, never people.',
    )
    .argument('<run>', 'the earlier run')
    .argument('<run>', 'the later run')
    .option('--json', 'one JSON object with before, after and steps')
    .examples(`
  audience diff x7f3kq latest
  audience diff 20261120t020003-x7f3kq2mzp 20261121t020003-b9w4rt8cvn --json | jq '.steps[].removed'

${RUN_HELP}
`)
    .calls(async () => (await import('./runs/diff.ts')).diffRuns)
}

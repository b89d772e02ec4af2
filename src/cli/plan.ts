import { Option } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'
import { collect, INPUT_OPTION, LOG_LEVEL_OPTION, PROFILE_OPTION } from './options.ts'

/** `audience plan FILE`. */
export function planCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('plan', setting)
    .description('Reads the service and shows step by step what a run would do now. It changes nothing.')
    .argument('[file]', 'the pipeline document; leave it out with --changed-since')
    .option(...INPUT_OPTION, collect, [])
    .option('--changed-since <ref>', 'plan every pipeline that this branch touches: changes since it left this git ref')
    .option(
      '--untrusted',
      'for a branch that others wrote: commands, tokens, hosts and limits come from the audience.yaml of the base branch, and no program of the branch runs',
    )
    .option(
      '--base <ref>',
      'with --untrusted, the git ref of the base; by default the target branch that GitHub or GitLab names',
    )
    .option(
      '--exit-code',
      'exit with 5 if a run would change something (an upload alone does not count), or if only the run can tell; otherwise with 0',
    )
    .addOption(
      new Option('--format <format>', 'the form of the output').choices(['text', 'json', 'markdown']).default('text'),
    )
    .option('--json', 'one JSON object per pipeline, as with --format json')
    .option(...PROFILE_OPTION)
    .option(...LOG_LEVEL_OPTION)
    .examples(`
  audience plan pipelines/nightly.yaml
  audience plan pipelines/nightly.yaml -i minimumMatch=500 --exit-code
  audience plan --changed-since origin/main --format markdown      for a comment on a pull request
  audience plan --changed-since origin/main --untrusted --base origin/main    in CI, with a token: docs/ci.md

Exit codes: 0 planned, 1 a step would fail, 5 with --exit-code: a run would change something.
A pipeline is touched if its document, a file that it names or a pipeline that it runs has changed.
`)
    .calls(async () => (await import('./plan-run.ts')).planRun)
}

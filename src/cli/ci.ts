import { Option } from 'commander'
import { CHECKS } from './ci/run-checks.ts'
import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience ci [PATHS…]`. */
export function ciCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('ci', setting)
    .description(
      'Checks a change in CI: validates, tests, simulates and plans, and shows the results in the summary of the job and in one comment on the pull request, which is updated in place.',
    )
    .argument('[paths...]', 'documents, folders and globs; default: the pipelines folder')
    .option('--checks <checks>', 'which checks, separated by commas', CHECKS.join(','))
    .option(
      '--base <ref>',
      'the git ref of the base; by default the target branch that GitHub or GitLab names. Without a base, nothing is planned',
    )
    .option('--fail-on <problems>', 'problems of simulate that fail the job, separated by commas')
    .option('--junit <file>', 'write the results of the tests as JUnit XML')
    .option('--report <file>', 'also write what the comment shows to a file')
    .addOption(
      new Option('--comment <comment>', 'write a comment, with the token in AUDIENCE_COMMENT_TOKEN')
        .choices(['true', 'false', ''])
        .default('true'),
    )
    .option('--comment-author <login>', 'the account that owns the comments, if the token does not show it')
    .option('--name <name>', 'a name that distinguishes the comments of several jobs', 'pipelines')
    .examples(`
  audience ci                                        all checks of ./pipelines
  audience ci --checks validate,test --junit results.xml
  audience ci --checks plan --name plan              in a job of its own, with a token: docs/ci.md

Only plan gets the environment variables, and it always runs with --untrusted. An empty option counts as not given.
Exits with 0, or with 1 if a check failed. A comment that cannot be written is a warning.
`)
    .calls(async () => (await import('./ci/run-ci.ts')).runCi)
}

import { Option } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience validate [PATHS…]`. */
export function validateCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('validate', setting)
    .description(
      'Checks pipelines and their tests: everything that can be known without the service, all problems at once.',
    )
    .argument('[paths...]', 'documents, folders and globs; default: `pipelines`')
    .addOption(
      new Option('--format <format>', 'how to print what was found')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .option('--strict', 'treat warnings as errors')
    .option(
      '-p, --profile <name>',
      'the profile of audience.yaml to check against; all: every profile (AUDIENCE_PROFILE)',
    )
    .examples(`
  audience validate                          all of ./pipelines
  audience validate nightly.yaml 'jobs/**/*.yaml'
  audience validate --profile all            with the inputs and triggers of each profile
  audience validate --format json pipelines  one JSON object per problem
  audience validate --format github          annotations in a GitHub Actions run
`)
    .calls(async () => (await import('./validate-documents.ts')).validateDocuments)
}

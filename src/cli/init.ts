import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience init [FOLDER]`. */
export function initCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('init', setting)
    .description(
      'Writes a small project that passes its own check: pipelines, some data, a configuration, package.json, README.md and a workflow for GitHub Actions.',
    )
    .argument('[folder]', 'where to write it', '.')
    .option(
      '--git',
      'put the pipelines into a git repository beside the configuration; audience start deploys them from there',
    )
    .addHelpText(
      'after',
      '\nExample:\n  npx audience init my-pipelines\n  npx audience init --git my-pipelines\n\nIt prints the commands to run next, and overwrites nothing.\n',
    )
    .calls(async () => (await import('./write-starter.ts')).writeStarter)
}

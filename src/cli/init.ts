import { AudienceCommand } from './command.ts'
import type { Terminal } from './terminal.ts'

/** `audience init [FOLDER]`. */
export function initCommand(terminal: Terminal, finish: (exitCode: number) => void): AudienceCommand {
  return new AudienceCommand('init')
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
    .action(async (folder: string, flags: { git?: true }) => {
      const { writeStarter } = await import('./write-starter.ts')
      finish(await writeStarter(folder, flags, terminal))
    })
}

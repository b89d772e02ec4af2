import { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** `audience init [FOLDER]`. */
export function initCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('init')
    .description('Writes a small project that validates and runs: a pipeline, some data, a configuration.')
    .argument('[folder]', 'where to write it', '.')
    .addHelpText(
      'after',
      '\nExample:\n  audience init audiences && cd audiences && audience run pipelines/quickstart.yaml\n',
    )
    .action(async (folder: string) => {
      const { writeStarter } = await import('./write-starter.ts')
      finish(writeStarter(folder, terminal))
    })
}

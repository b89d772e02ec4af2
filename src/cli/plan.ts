import { Command } from 'commander'
import { collect, INPUT_OPTION, LOG_LEVEL_OPTION, PROFILE_OPTION } from './options.ts'
import type { PlanFlags } from './plan-run.ts'
import type { Terminal } from './terminal.ts'

/** `audience plan FILE`. */
export function planCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('plan')
    .description('Reads the service and shows step by step what a run would do now. Sends no write.')
    .argument('<file>', 'the pipeline document')
    .option(...INPUT_OPTION, collect, [])
    .option(...PROFILE_OPTION)
    .option('--json', 'one JSON object with the steps')
    .option(...LOG_LEVEL_OPTION)
    .addHelpText('after', '\nExample:\n  audience plan pipelines/nightly.yaml -i file=today.csv\n')
    .action(async (file: string, flags: PlanFlags) => {
      const { planRun } = await import('./plan-run.ts')
      finish(await planRun(file, flags, terminal))
    })
}

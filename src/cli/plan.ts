import { Command } from 'commander'
import type { PlanFlags } from './plan-run.ts'
import type { Terminal } from './terminal.ts'

/** `audience plan FILE`. */
export function planCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('plan')
    .description('Reads the service and shows step by step what a run would do now. Sends no write.')
    .argument('<file>', 'the pipeline document')
    .option('-i, --input <key=value>', 'an input of the pipeline; may be given several times', collect, [])
    .option('-p, --profile <name>', 'the profile of audience.yaml to use (AUDIENCE_PROFILE)')
    .option('--json', 'one JSON object with the steps')
    .option('--log-level <level>', 'debug, info, warn, error or silent; logs go to standard error', 'warn')
    .addHelpText('after', '\nExample:\n  audience plan pipelines/nightly.yaml -i file=today.csv\n')
    .action(async (file: string, flags: PlanFlags) => {
      const { planRun } = await import('./plan-run.ts')
      finish(await planRun(file, flags, terminal))
    })
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}

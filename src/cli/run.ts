import { Option } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'
import {
  BY_OPTION,
  collect,
  durationOption,
  INPUT_OPTION,
  LOG_LEVEL_OPTION,
  OTHER_SERVICE_OPTION,
  PROFILE_OPTION,
} from './options.ts'

/** `audience run FILE`. */
export function runCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('run', setting)
    .description('Runs a pipeline now and shows its progress.')
    .argument('<file>', 'the pipeline document')
    .option(...INPUT_OPTION, collect, [])
    .option(...PROFILE_OPTION)
    .option('--from <step>', 'begin at this step, with the outputs of an earlier run (--of)')
    .option('--of <run>', 'the earlier run')
    .option(...OTHER_SERVICE_OPTION)
    .option('--detach', 'queue it for audience start, and return immediately')
    .addOption(
      new Option('--wait <duration>', 'how long to wait for a person or a partner, such as 5m; then exit with 6')
        .argParser(durationOption)
        .conflicts('detach'),
    )
    .option('--no-wait', 'exit with 6 as soon as the run is only waiting for a person or a partner')
    .option(...BY_OPTION)
    .option('--json', 'one JSON event per line, for machines')
    .option(...LOG_LEVEL_OPTION)
    .examples(`
  audience run pipelines/quickstart.yaml
  audience run pipelines/quickstart.yaml -i file=data/today.csv -i minimumMatch=500
  audience run pipelines/quickstart.yaml --wait 5m    for a script that must not wait for an approval for days
  audience run pipelines/quickstart.yaml --json | jq -r 'select(.event == "run.finished").status'

If nothing names a service (no AUDIENCE_BASE_URL, no profile, no token), it uses the embedded Audience Data Service,
with synthetic people and its data under .audience/. --profile local asks for that by name.
`)
    .calls(async () => (await import('./run-pipeline.ts')).runPipeline)
}

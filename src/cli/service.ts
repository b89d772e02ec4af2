import { AudienceCommand, type CommandSetting } from './command.ts'
import { integerOption, LOG_LEVEL_OPTION, portOption } from './options.ts'

/** `audience service start|sample|reset`. */
export function serviceCommand(setting: CommandSetting): AudienceCommand {
  const service = new AudienceCommand('service', setting).description('The Audience Data Service on this machine.')
  service
    .command('start')
    .summary('run the service until it is interrupted')
    .description(
      'Runs the Audience Data Service on loopback until it is interrupted; its data are kept in the state folder.',
    )
    .option('--port <port>', 'the port to listen on; 0 picks a free one', portOption, 0)
    .option('--network <file>', 'a file with the network: participants, groups, people; default: the built-in one')
    .option('--strict', 'refuse unknown fields of requests instead of ignoring them')
    .option('--json', 'print one JSON line when it is ready')
    .option(...LOG_LEVEL_OPTION)
    .addHelpText('after', '\nExample:\n  audience service start --port 4010\n')
    .calls(async () => (await import('./service/start.ts')).startServiceCommand)
  service
    .command('sample')
    .summary('write a CSV of keys of people in the population')
    .description(
      'Writes a CSV of keys of people in the synthetic population. It is the same every time and on every machine.',
    )
    .requiredOption(
      '--signal <signal>',
      'EMAIL, IP, IDFA, AAID, STBID, ADDRESS, ZIPCODE, BGID, RECORD_ID, PARTNER_RECORD_ID (required)',
    )
    .option('--rows <count>', 'how many keys', integerOption, 5000)
    .option('--unknown <count>', 'the number of additional keys that belong to nobody', integerOption, 0)
    .option('--seed <number>', 'a different seed gives different keys', integerOption, 1)
    .option('-o, --output <file>', 'where to write it', 'sample.csv')
    .addHelpText('after', '\nExample:\n  audience service sample --signal EMAIL --rows 5000 --seed 7 -o list.csv\n')
    .calls(async () => (await import('./service/sample.ts')).sampleService)
  service
    .command('reset')
    .summary('delete everything that was added')
    .description(
      'Deletes all files, segments, matches, activations and jobs of the service in the state folder; the population stays.',
    )
    .option(...LOG_LEVEL_OPTION)
    .calls(async () => (await import('./service/reset.ts')).resetServiceCommand)
  return service
}

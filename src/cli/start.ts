import { AudienceCommand, type CommandSetting } from './command.ts'
import { logLevelOption, PROFILE_OPTION, portOption } from './options.ts'

/** The default address for health reports. */
const DEFAULT_PORT = 9470

/** `audience start`. */
export function startCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('start', setting)
    .description(
      'Runs until it is stopped: it reads the pipelines folder, keeps the schedules, watches the folders, resumes interrupted runs, and sends messages when something needs a person. It loads changed documents.',
    )
    .option('--host <address>', 'the address for /healthz, /readyz and /metrics', '127.0.0.1')
    .option('--port <port>', 'their port; 0 picks a free one', portOption, DEFAULT_PORT)
    .option('--console-port <port>', 'the port of the web console; 0 picks a free one', portOption)
    .option('--no-console', 'without the web console')
    .option(...PROFILE_OPTION)
    .option('--json', 'print one JSON line when it is ready')
    .option(...logLevelOption('info'))
    .examples(`
  audience start                        with the pipelines of ./pipelines, or of \`pipelines\` in audience.yaml
  audience start --port 0 --json        on any free port, for scripts
  audience status                       in another terminal: what runs, and what needs you
  audience console                      in another terminal: a link to the web console

It ends on SIGTERM or Ctrl-C within seconds; the next start resumes the runs that have not ended.
`)
    .calls(async () => (await import('./start-daemon.ts')).startDaemonCommand)
}

import type { Command, OutputConfiguration } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'
import { CONFIG_OPTION } from './options.ts'
import { version } from './version.ts'

/** Every command; only the called command is loaded. */
const COMMANDS = [
  command('run', 'run a pipeline now', () => import('./run.ts')),
  command('plan', 'show what a run would do, and change nothing', () => import('./plan.ts')),
  command('validate', 'check pipelines without the service', () => import('./validate.ts')),
  command('test', 'rehearse pipelines: run their tests, with weeks passing in seconds', () => import('./test.ts')),
  command(
    'simulate',
    'what schedules will do: slots, late and skipped runs, clock changes',
    () => import('./simulate.ts'),
  ),
  command('ci', 'check a change in CI: validate, test, simulate and plan, in one comment', () => import('./ci.ts')),
  command('runs', 'the history of runs: list, show, resume, retry, cancel, approve', () => import('./runs.ts')),
  command('diff', 'show how the lists of two runs differ, in figures', () => import('./runs.ts')),
  command('start', 'run schedules, watch folders and resume runs, until it is stopped', () => import('./start.ts')),
  command('schedule', 'the slots of schedules: list, next, pause, resume, backfill', () => import('./schedule.ts')),
  command('status', 'one screen: daemon, runs, what needs you, next slots, folders', () => import('./status.ts')),
  command('console', 'a link to the web console of audience start', () => import('./console.ts')),
  command('audit', 'who did what, when and why', () => import('./audit.ts')),
  command('state', 'maintain the state: check, compact, migrate, copy', () => import('./state.ts')),
  command('workers', 'the processes that share a state in PostgreSQL', () => import('./workers.ts')),
  command('backup', 'copy the state to a file, even while audience start is running', () => import('./state.ts')),
  command('privacy', 'search live lists for keys, and purge fingerprints', () => import('./privacy.ts')),
  command('files', 'the files of watched folders: list them, and drop a failed one again', () => import('./files.ts')),
  command(
    'sources',
    'where files come from: list the sources, and check those on other machines',
    () => import('./sources.ts'),
  ),
  command('api', 'call any operation of the service', () => import('./api.ts')),
  command('init', 'write a small project that passes its own check', () => import('./init.ts')),
  command('schema', 'print the JSON Schemas and the OpenAPI file', () => import('./schema.ts')),
  command('deploy', 'pipelines from git: what is in use, go back, pause', () => import('./deploy.ts')),
  command('notify', 'test the channels for messages to people', () => import('./notify.ts')),
  command('completion', 'complete commands, options and runs in bash, zsh or fish', () => import('./completion.ts')),
  command('service', 'the Audience Data Service on this machine', () => import('./service.ts')),
]

const EXAMPLES = `
Examples:
  audience run pipelines/quickstart.yaml        run a pipeline against the embedded service
  audience run nightly.yaml -i file=today.csv   with another input
  audience validate pipelines                   check all pipelines of a folder
  audience api segments.list --all              everything the service has, one JSON object per line
  audience start                                keep the schedules and watch the folders of ./pipelines
  audience service start                        the Audience Data Service on this machine

Exit codes: 0 done, 1 the run failed, 2 usage, 3 invalid pipeline or configuration,
            4 service or database unreachable or access refused, 5 what a check looked for is there,
            6 the run continues and waits for somebody, 75 start it again, 130 interrupted
`

/** The command `audience`. Only the called command is loaded; the others are present only by name. */
export async function makeProgram({
  isNeeded,
  output,
  ...given
}: CommandSetting & {
  isNeeded: (name: string) => boolean
  output: OutputConfiguration
}): Promise<AudienceCommand> {
  const env = { ...given.terminal.env }
  const setting = { ...given, terminal: { ...given.terminal, env } }
  const program = new AudienceCommand('audience', setting)
    .description('Runs declarative pipelines for audience data: upload, segment, match, activate.')
    .version(version(), '-V, --version', 'print the version')
    .option(...CONFIG_OPTION)
    .exitOverride()
    .configureOutput(output)
    .addHelpText('after', EXAMPLES)
    // This is the same for every command: the flag takes precedence over the environment.
    .hook('preAction', async (_program, command) => {
      const { config } = program.opts<{ config?: string }>()
      if (config !== undefined) env.AUDIENCE_CONFIG = config
      if (!readsOtherPeople(command)) (await import('./settings-of.ts')).learnSecrets(setting.terminal)
    })
  for (const { name, summary, load } of COMMANDS) {
    const made = isNeeded(name) ? (await load())(setting) : new AudienceCommand(name, setting)
    program.addCommand(made.summary(summary))
    inherit(program, made)
  }
  return program
}

/**
 * Whether other people may have written the audience.yaml here. It could declare any words to be secret, to hide them
 * from the people who read the report. The checks of `ci` and the trusted settings of `plan` know their own secrets.
 */
function readsOtherPeople(command: Command): boolean {
  return command.name() === 'ci' || command.opts<{ untrusted?: true }>().untrusted === true
}

/** Commands that are added, not created by their parent, inherit its settings only on request. */
function inherit(parent: Command, command: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(command, child)
}

/** The command `NAME` is made by the function `NAMECommand` of its file. */
function command<Name extends string>(
  name: Name,
  summary: string,
  file: () => Promise<{ readonly [Maker in `${Name}Command`]: CommandMaker }>,
) {
  return { name, summary, load: async () => (await file())[`${name}Command` as const] }
}

/** Creates a command; it passes its exit code to `finish`, or throws an AudienceError. */
type CommandMaker = (setting: CommandSetting) => AudienceCommand

import { Command, type OutputConfiguration } from 'commander'
import { CONFIG_OPTION } from './options.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Every command; only the called command is loaded. */
const COMMANDS: Readonly<Record<string, { readonly summary: string; readonly load: () => Promise<CommandMaker> }>> = {
  run: { summary: 'run a pipeline now', load: async () => (await import('./run.ts')).runCommand },
  plan: {
    summary: 'show what a run would do, and change nothing',
    load: async () => (await import('./plan.ts')).planCommand,
  },
  validate: {
    summary: 'check pipelines without the service',
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  test: {
    summary: 'rehearse pipelines: run their tests, weeks in seconds',
    load: async () => (await import('./test.ts')).testCommand,
  },
  simulate: {
    summary: 'what schedules will do: slots, late and skipped runs, clock changes',
    load: async () => (await import('./simulate.ts')).simulateCommand,
  },
  ci: {
    summary: 'check a change in CI: validate, test, simulate and plan, in one comment',
    load: async () => (await import('./ci.ts')).ciCommand,
  },
  runs: {
    summary: 'the history of runs: list, show, resume, retry, cancel, approve',
    load: async () => (await import('./runs.ts')).runsCommand,
  },
  diff: {
    summary: 'show how the lists of two runs differ, in figures',
    load: async () => (await import('./runs.ts')).diffCommand,
  },
  start: {
    summary: 'run schedules, watch folders and resume runs, until it is stopped',
    load: async () => (await import('./start.ts')).startCommand,
  },
  schedule: {
    summary: 'the slots of schedules: list, next, pause, resume, backfill',
    load: async () => (await import('./schedule.ts')).scheduleCommand,
  },
  status: {
    summary: 'one screen: daemon, runs, what needs you, next slots, folders',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  console: {
    summary: 'a link to the web console of audience start',
    load: async () => (await import('./console.ts')).consoleCommand,
  },
  audit: {
    summary: 'who did what, when and why',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  state: {
    summary: 'look after the state: check, compact, migrate, copy',
    load: async () => (await import('./state.ts')).stateCommand,
  },
  workers: {
    summary: 'the processes that share a state in PostgreSQL',
    load: async () => (await import('./workers.ts')).workersCommand,
  },
  backup: {
    summary: 'copy the state to a file, even while audience start is running',
    load: async () => (await import('./state.ts')).backupCommand,
  },
  privacy: {
    summary: 'search live lists for keys, and purge fingerprints',
    load: async () => (await import('./privacy.ts')).privacyCommand,
  },
  files: {
    summary: 'the files of watched folders: list them, and drop a failed one again',
    load: async () => (await import('./files.ts')).filesCommand,
  },
  sources: {
    summary: 'where files come from: list the sources, and check those on other machines',
    load: async () => (await import('./sources.ts')).sourcesCommand,
  },
  api: { summary: 'call any operation of the service', load: async () => (await import('./api.ts')).apiCommand },
  init: {
    summary: 'write a small project that passes its own check',
    load: async () => (await import('./init.ts')).initCommand,
  },
  schema: {
    summary: 'print the JSON Schemas and the OpenAPI file',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  deploy: {
    summary: 'pipelines from git: what is in use, go back, pause',
    load: async () => (await import('./deploy.ts')).deployCommand,
  },
  notify: {
    summary: 'test the channels for messages to people',
    load: async () => (await import('./notify.ts')).notifyCommand,
  },
  completion: {
    summary: 'complete commands, options and runs in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
  service: {
    summary: 'the Audience Data Service on this machine',
    load: async () => (await import('./service.ts')).serviceCommand,
  },
}

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
            6 the run goes on and waits for somebody, 75 start it again, 130 interrupted
`

/** The command `audience`. Only the called command is loaded; the others are present only by name. */
export async function makeProgram(options: {
  readonly terminal: Terminal
  readonly finish: (exitCode: number) => void
  readonly isNeeded: (name: string) => boolean
  readonly output: OutputConfiguration
}): Promise<Command> {
  const { finish, isNeeded, output } = options
  const env = { ...options.terminal.env }
  const terminal = { ...options.terminal, env }
  const program = new Command('audience')
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
      if (!readsOtherPeople(command)) (await import('./settings-of.ts')).learnSecrets(terminal)
    })
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = isNeeded(name) ? (await load())(terminal, finish) : new Command(name)
    program.addCommand(command.summary(summary))
    inherit(program, command)
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

/** Creates a command; it passes its exit code to `finish`, or throws an AudienceError. */
type CommandMaker = (terminal: Terminal, finish: (exitCode: number) => void) => Command

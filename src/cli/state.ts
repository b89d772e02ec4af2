import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience state …`: maintenance of the state's files. */
export function stateCommand(setting: CommandSetting): AudienceCommand {
  const state = new AudienceCommand('state', setting)
    .description('Maintains the state: runs, the work of triggers, notifications.')
    .examples(`
  audience state check                  is the state intact? Works beside audience start
  audience state compact                give the space of removed runs back to the disk
  AUDIENCE_STATE=postgres://audience@db.example.com/audience audience state migrate
  audience state copy .audience postgres://audience@db.example.com/audience
`)
  state
    .command('check')
    .description(
      'Reads the whole state and says what is damaged. It changes nothing, and may run while the daemon is running. The exit code is 1 if something is damaged.',
    )
    .option('--json', 'one JSON object with ok, version, runs, records and problems')
    .calls(async () => (await import('./state/check.ts')).checkStateCommand)
  state
    .command('compact')
    .description(
      'Rewrites the database to give back the space that removed runs used. Stop the daemon first. It needs as much free disk space as the database uses.',
    )
    .calls(async () => (await import('./state/compact.ts')).compactStateCommand)
  state
    .command('migrate')
    .description(
      'Creates the tables of a state in PostgreSQL, or brings them up to date. Run it once, and after upgrades that require it. It may run while workers are running, and more than once.',
    )
    .option('--json', 'one JSON object with state, from and to')
    .calls(async () => (await import('./state/migrate.ts')).migrateStateCommand)
  state
    .command('copy')
    .description(
      'Copies the state of a folder to an empty PostgreSQL database: ended runs, slots, files, step memory. The copy is all or nothing: if it is interrupted, nothing was copied, and you can run the same command again. Before you copy, let the runs end and stop the daemon.',
    )
    .argument('<from>', 'the state folder')
    .argument('<to>', 'the URL of the database, without a password')
    .option('--json', 'one JSON object with from, to, runs, rows and tables (the rows of each table)')
    .calls(async () => (await import('./state/copy.ts')).copyStateCommand)
  return state
}

/** `audience backup FILE`. */
export function backupCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('backup', setting)
    .description(
      'Copies the state (runs, what triggers have done, notifications) to a new file, as it is at one moment, even while audience start is running. ' +
        'For a state in PostgreSQL it prints a shell command that does this with pg_dump. ' +
        'It does not contain the data of the embedded service, nor the fingerprints of lists.',
    )
    .argument('<file>', 'the file to write; it must not exist yet')
    .option('--with-membership', 'copy the fingerprints of lists too, with their key, to the folder FILE.membership')
    .examples(`
  audience backup state-2026-11-21.db
  audience backup state-2026-11-21.db --with-membership
  audience backup state.dump | sh               a state in PostgreSQL: runs the command that it prints
  mkdir restored && cp state-2026-11-21.db restored/runs.db && AUDIENCE_STATE=restored audience runs list
`)
    .calls(async () => (await import('./back-up.ts')).backUp)
}

import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience workers …`: the processes that share a state in PostgreSQL. */
export function workersCommand(setting: CommandSetting): AudienceCommand {
  const workers = new AudienceCommand('workers', setting)
    .description('The processes that work on the runs of a state in PostgreSQL, and the folders that they share.')
    .examples(`
  audience workers list                          how many runs each process works on, and which one is the keeper
  audience workers list --json | jq -s length    how many there are
  audience workers drain web1 --wait             before an upgrade of web1: returns when its process has ended
  audience workers share /srv/audience           every machine mounts this folder at this path
`)
  workers
    .command('list')
    .description(
      'Lists the processes, oldest first: each audience start, and each audience run while it runs. The keeper runs schedules, watches folders and notifies people.',
    )
    .option(
      '--json',
      'one JSON object per line: executor, name, host, pid, version, startedAt, expiresAt, runs, keeper, takes (all, or own: an audience run), drainingSince',
    )
    .calls(async () => (await import('./workers/list.ts')).listWorkersCommand)
  workers
    .command('drain')
    .summary('gives a worker no new runs, and ends it when its runs have ended')
    .description(
      'Gives a worker no new runs, and ends it when its runs have ended. The worker finishes its running steps, and the runs that these steps start. Runs that only wait for a job, a partner or a person go to other workers within seconds, and so does the role of the keeper. The process of the worker ends with exit code 0. If no other worker takes runs, the command is refused.',
    )
    .argument('<worker>', 'its name in `workers list`, or its host if only one worker runs there')
    .option('--wait', 'say how many runs it still has, and return when its process has ended')
    .option(
      '--json',
      'JSON objects: worker.draining (drainingSince, wasDraining); with --wait also worker.runs (runs, hasOthers) and worker.ended',
    )
    .signed('why, for the audit log')
    .examples(`
  audience workers drain web1 --wait --comment upgrade    the only worker of the machine web1
  audience workers drain web1:4711                        one of several there
  timeout 10m audience workers drain web1 --wait          waits ten minutes at most; the worker continues to drain

With a state in a folder there is one audience start and no other process that could take its runs:
stop it with SIGTERM or Ctrl-C.
`)
    .calls(async () => (await import('./workers/drain.ts')).drainWorkerCommand)
  workers
    .command('undrain')
    .summary('lets a draining worker take runs again')
    .description(
      'Lets a draining worker that has not ended yet take runs again. Runs that it gave away stay where they are.',
    )
    .argument('<worker>', 'its name in `workers list`, or its host if only one worker runs there')
    .signed('why, for the audit log')
    .calls(async () => (await import('./workers/drain.ts')).undrainWorkerCommand)
  workers
    .command('share')
    .description(
      'Marks folders that every machine sees under the same path, with the file .audience-shared. The mark also counts for all folders below them. Workers do not use a watched folder or a `shared` folder without the mark, because it may be a different folder on their machine.',
    )
    .argument('<folders...>', 'the folders, which must exist')
    .calls(async () => (await import('./workers/share.ts')).shareFolders)
  return workers
}
